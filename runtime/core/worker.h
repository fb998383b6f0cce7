// A worker: what chomp keeps for one thread of the process. Records are made once, never unmapped; the next thread that
// registers adopts the record of a thread that exited, with its memory. The gtid is the record's index.
#pragma once

#include <cstdint>
#include <pthread.h>

#include "runtime/base/atomic.h"
#include "runtime/base/cacheline.h"
#include "runtime/base/check.h"
#include "runtime/core/counters.h"
#include "runtime/core/memory.h"
#include "runtime/teams/teams_state.h"
#include "runtime/core/task.h"
#include "runtime/observe/tool_state.h"
#include "runtime/stacks/stack_state.h"
#include "runtime/sync/program_lock.h"
#include "runtime/sync/shown_wait.h"
#include "runtime/sync/spin_limit.h"

namespace chomp {

struct Member;
struct Team;

/// A thread of the pool, and what it does next.
struct PoolThread {
  atomic<Member*> assigned_member{nullptr}; // the member that it serves next
  pthread_t thread{};
  int makers_cpu = -1; // the CPU that its first mask lacks, until it adds that; -1: it has its maker's mask
};

/// The innermost wait on the worker's stack (work_loop()), and the innermost tied task at or below the one that waits.
struct InnermostWait {
  const Task* waiter = nullptr;
  const Task* tied = nullptr;
};

/// What observers keep of the worker (events.cpp, observe/record.cpp).
struct Observation {
  struct RecordStream* record = nullptr;
  bool every_task_is_watched = false; // run_watermark is above every stack pointer
  uint64_t tasks = 0;                 // ids given to tasks here
};

/// An answer of task_reduction_copy(): tasks of one group ask for the same items again and again.
struct alignas(32) ReductionLookup {
  uint64_t reduction = 0; // the number of the innermost group's reduction; 0: there is no answer
  const void* address = nullptr;
  void* copy = nullptr;
};
inline constexpr unsigned kReductionLookups = 4;

/// What OMP_DISPLAY_AFFINITY has shown of this thread (affinity_format.cpp).
struct ShownAffinity {
  int32_t level = 0, size = 1;
};

struct alignas(kCacheLine) Worker {
  // Hot: owner only.
  Task* current = nullptr;     // the task that runs now
  Member* member = nullptr;    // the member in the current team
  uintptr_t run_watermark = 0; // with the stack pointer below it, run_task() takes the slow path (task_run.h)
  int32_t gtid = 0;
  uint16_t id = 0;                               // gtid + 1: what Task::owner holds
  int16_t bound_place = -1;                      // the place it is bound to, or a value of binding.h
  Task* free_blocks[kSizeClasses] = {};          // linked through Task::next
  uint32_t surplus_of_blocks[kSizeClasses] = {}; // freed here, but allocated elsewhere (memory.h)
  uint32_t published_flags = 0;                  // Task::flags of the task that was published last

  // Parking (idle.cpp): 0 awake, 1 parked, 2 parked and asked to look out (wait/lookout.h). Written by the worker,
  // its wakers and lookouts that stop sleeping.
  alignas(kCacheLine) atomic<uint32_t> parked{0};
  atomic<int> wakers_cpu{-1}; // where the last waker ran, or the thread that made this one

  LockQueueNode lock_node; // in the queue of a program's lock (program_lock.cpp)

  // Cold: owner only, or under the lock of thread_pool.cpp.
  alignas(kCacheLine) Member* initial_member = nullptr; // a root thread's own serial team
  Member* agent_member = nullptr;                       // of the team that it has as a free agent
  Worker* next_free = nullptr;                          // pool of idle threads, or of records without a thread
  LastLongYield last_long_yield;
  bool is_root = false;    // a thread of the program (not made by chomp)
  bool shares_cpu = false; // another thread ran when it offered its CPU last (wait/idle.cpp)
  PoolThread pool;
  WorkerStack stack;
  NextRegion next_region;
  struct RegionSites* region_sites = nullptr; // what has been learnt of regions' sizes (teams/region_size.cpp)
  InnermostWait innermost_wait;
  const Task** ancestors = nullptr;   // room for the path of a walk from a task towards the root (tasks/constraint.cpp)
  struct OwnIcvs* own_icvs = nullptr; // of tasks on the worker's stack, the innermost first (icv.cpp)
  uint64_t waits = 0;                 // how often work_loop() was entered
  uint32_t importers = 0;             // tasks on its stack that wait beyond their children (tasks/transparent.h)
  RefusedLists refused_lists;
  // Task reductions (reductions/task_reduction.cpp).
  uint64_t reductions_begun = 0;
  ReductionLookup reduction_lookups[kReductionLookups]; // by address
  // What hand-overs are worth (share/hand_over_timer.h).
  uint64_t idle_cycles = 0; // in work_loop(), without a task
  uint32_t timed_acquisitions = 0;
  bool had_task = false;   // the task that find_work() returned had come earlier, with others
  uint16_t unmeasured = 0; // hand-overs since one was measured
  uint64_t end_cycles = 0; // spent at ends of tasks that end_moves_lines(), while some are timed
  // Tasks that the current task has released and that wait below it (destination.cpp, fits_below()).
  uint64_t kept_floor = ~uint64_t{0}; // a floor of the deque, with one such task right below it
  bool floor_is_fixed = false;        // a caller below keeps the floor in a variable: it may not be raised
  uint64_t released = 0;              // tasks that became ready there, and stay with the worker
  Observation observation;
  ToolThread tool;
  ShownAffinity shown_affinity;
  struct GraphRegion* graph_regions = nullptr; // of tasks on the worker's stack, the innermost first (graphs/)
  bool watches_waits = false; // one of these is being recorded: run_watermark is as if every task were watched
  struct ThreadprivateCopies* threadprivate = nullptr;
  SchedulerCounts scheduler_counts;
  WorkerCounters counters;
  ShownWait shown_wait; // for the stall report
};

extern constinit __attribute__((tls_model("initial-exec"))) thread_local Worker* tls_worker;

/// Registers the calling thread (threads/thread_pool.cpp): starts the runtime if needed, and gives the thread a record,
/// a gtid and an initial team.
CHOMP_SLOW Worker* worker_register_slow();

/// The calling thread's record; registers a thread that chomp does not know yet.
inline Worker* this_worker() {
  Worker* worker = tls_worker;
  if (CHOMP_UNLIKELY(worker == nullptr)) worker = worker_register_slow();
  return worker;
}

inline constexpr int kMostWorkers = 1 << 15;

/// The record with that gtid; null if never used.
Worker* worker_by_gtid(int gtid);

/// Makes the record of that gtid, which is the next one. Called under the lock of threads/thread_pool.cpp.
Worker* worker_make(int gtid);

} // namespace chomp
