// taskloop (OpenMP 5.2, 12.6): a loop cut into tasks. The compiler makes one task, the pattern, that is never run; each
// task of the loop is a copy of it with its own bounds.
#pragma once

#include <cstddef>
#include <cstdint>

#include "runtime/core/task.h"
#include "runtime/core/worker.h"

namespace chomp {

struct Taskloop {
  /// The numbers are the compiler's.
  enum Partition : int { kDefault = 0, kGrainsize = 1, kNumTasks = 2 };
  /// Makes what a bitwise copy does not make: firstprivate variables with constructors, and the flag that says that the
  /// task has the last iteration (lastprivate).
  using Duplicate = void (*)(void* payload, void* pattern_payload, int32_t last);

  Task* pattern;   // freed by taskloop_run()
  uint64_t* lower; // inside the pattern's payload: the first iteration, and in each task its own
  uint64_t* upper; // the same for the last iteration
  int64_t stride;
  uint64_t beyond = 0; // `*upper - beyond` is the last iteration: the stride where GCC's code has the end, else 0
  Partition partition;
  uint64_t amount;     // iterations per task, or tasks
  bool strict;         // grainsize(strict: …): exactly `amount` iterations in every task but the last
  bool deferred;       // false: if(0), each task runs here at once
  bool in_group;       // the construct waits for the tasks and their descendants (it has no nogroup clause)
  Duplicate duplicate; // or null
  // How long the payload is, if the caller knows, and how many bytes at its begin no task changes; else 0.
  size_t bytes = 0, unchanged_bytes = 0;
};

void taskloop_run(Worker* worker, const Taskloop& loop);

/// Whether the task is a range of a loop, which runs others of its tasks.
bool is_taskloop_range(Task* task);

} // namespace chomp
