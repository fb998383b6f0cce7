// What a worker keeps for the tasks on its stack. Owner only.
#pragma once

#include <cstdint>

#include "runtime/base/atomic.h"
#include "runtime/base/cacheline.h"
#include "schedulers/scheduler.h"

namespace chomp {

struct Task;

/// The innermost wait on the worker's stack (work_loop()), and the innermost tied task at or below the one that waits.
struct InnermostWait {
  const Task* waiter = nullptr;
  const Task* tied = nullptr;
};

/// Tasks that have stacks of their own (fiber.h).
struct FibersState {
  class Fiber* running = nullptr; // the innermost on which the worker stands
  class Fiber* ready = nullptr;   // may go on, oldest first
  class Fiber* newest_ready = nullptr;
  class Fiber* waiting = nullptr;     // a ring of those that have left in the middle of a wait
  const Task* blocked_here = nullptr; // the innermost task that is blocked where it stands
  bool others_turn = false;           // those that begin take turns with those that go on, and among these
  bool readys_turn = false;           // those that are ready with those that wait
};

/// An answer of task_reduction_copy(): tasks of one group ask for the same items again and again.
struct alignas(32) ReductionLookup {
  uint64_t reduction = 0; // the number of the innermost group's reduction; 0: there is no answer
  const void* address = nullptr;
  void* copy = nullptr;
};
inline constexpr unsigned kReductionLookups = 4;

/// Task reductions (task_reduction.cpp).
struct ReductionsState {
  uint64_t begun = 0;
  ReductionLookup lookups[kReductionLookups]; // by address
};

struct TasksState {
  InnermostWait innermost_wait;
  uint64_t waits = 0;                 // how often work_loop() was entered
  const Task* yielded = nullptr;      // the untied task that has come to a taskyield last (task_run.h)
  const Task* ends_here = nullptr;    // its creator goes on when it has ended, though it is no undeferred one
  uint32_t importers = 0;             // tasks that wait beyond their children (transparent.h)
  const Task** ancestors = nullptr;   // room for the path of a walk from a task towards the root (constraint.cpp)
  struct OwnIcvs* own_icvs = nullptr; // of these tasks, the innermost first (core/icv.cpp)
  RefusedLists refused_lists;
  uint64_t released = 0; // tasks that became ready here, and stay with the worker
  FibersState fibers;
  ReductionsState reductions;
  // Fibers whose tasks were resumed by other threads: these push, the worker takes all.
  alignas(kCacheLine) atomic<class Fiber*> resumed{nullptr};
};

} // namespace chomp
