// Internal control variables of a data environment (OpenMP 5.2, 2.4). Blocks are immutable and owned by the team: a
// task carries the index of its block in its flags, so inheriting costs nothing; omp_set_* makes a new block
// (icv_change()). When the team's table is full, a task that changes something gets a block of its own (kOwnIcvs). Its
// children run when they are made, so they need no copy of a block that cannot change meanwhile.
#pragma once

#include <cstdint>
#include <string_view>

#include "runtime/config/config.h"

namespace chomp {

/// Nobody has said default-device-var, and offloading is mandatory: device 0, or none (OpenMP 5.2, 21.2.7).
inline constexpr int kFirstDevice = INT32_MIN;

struct Icvs {
  int num_threads = 1;                 // nthreads-var, for the next parallel region
  const int* nested_threads = nullptr; // [nested_count]: num_threads inside that region, inside the regions in it, …
  int nested_count = 0;                // regions further inside keep the last number
  int max_active_levels = 1;           // max-active-levels-var
  int thread_limit = 1;                // thread-limit-var
  int default_device = 0;              // default-device-var, or kFirstDevice
  bool dynamic = false;                // dyn-var
  bool follows_cpus = false;           // nobody has said num_threads: where dyn-var is true it may change with the CPUs
  ProcBind proc_bind = ProcBind::kFalse; // bind-var
  Schedule schedule;                     // run-sched-var
  uintptr_t default_allocator = 1;       // def-allocator-var: omp_default_mem_alloc

  bool operator==(const Icvs&) const = default;
};

inline constexpr uint32_t kMostIcvBlocks = 256; // of a team; an index must fit into kIcvMask (task.h)

/// run-sched-var as GCC's code has it.
inline const Schedule& schedule_in_gcc(const Icvs& icvs) { return icvs.schedule.said ? icvs.schedule : kScheduleOfGcc; }

struct Task;
struct Worker;

/// What the settings give to a thread of the program that uses OpenMP for the first time.
Icvs icvs_of_settings();

/// kmp_set_defaults: the settings change, and with them the variables of the current task that have them as default.
void settings_change(Worker* worker, std::string_view text);

/// The block of the current task of `worker`.
const Icvs& icvs(const Worker* worker);

/// Frees the block that the task has of its own, if it has one. Its body has returned.
void icvs_release(Worker* worker, Task* task);

/// Gives the current task of `worker` a copy of its block in which `edit` has changed something.
void icv_change(Worker* worker, void (*edit)(Icvs&, const void* argument), const void* argument);

/// omp_set_num_threads: sets nthreads-var of the current task of `worker`.
void icv_set_num_threads(Worker* worker, int count);

} // namespace chomp
