// What a worker keeps for the tasks on its stack. Owner only.
#pragma once

#include <cstdint>

#include "runtime/base/atomic.h"
#include "runtime/base/cacheline.h"
#include "schedulers/scheduler.h"

namespace chomp {

struct Member;
struct Task;
struct Worker;

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
  uint32_t away = 0;                  // how many have left, and not gone on
  bool others_turn = false;           // those that begin take turns with those that go on, and among these
  bool readys_turn = false;           // those that are ready with those that wait
  uint16_t handed_over = 0;           // so many in a row have taken the place of one that has blocked
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

/// A construct with dependences whose task runs inside it and should end there: its creator can make no sibling before
/// that. So nobody has noted the dependences (task_deps.cpp). Lies on the stack of the construct.
struct OpenConstruct {
  const Task* task;
  const struct DependenceList* list;
  OpenConstruct* outer;
};

/// What an offload library keeps for the target task that has asked for it last (devices/target_task.h).
struct TargetHandle {
  const Task* task = nullptr;
  void* handle = nullptr; // set: its region is still on the device
  // The body has returned, on top of `below`. True: the task has gone into a queue.
  bool (*goes_on)(Worker*, Member*, Task*, Task* below, uint64_t floor) = nullptr;

  bool is_of(const Task* other) const { return handle != nullptr && task == other; }
};

struct TasksState {
  InnermostWait innermost_wait;
  uint64_t waits = 0;                       // how often work_loop() was entered
  const Task* yielded = nullptr;            // the untied task that has come to a taskyield last (task_run.h)
  OpenConstruct* open_constructs = nullptr; // the innermost first; where tasks stop, that which began last
  uint32_t importers = 0;                   // tasks that wait beyond their children (transparent.h)
  const Task** ancestors = nullptr;         // room for the path of a walk from a task towards the root (constraint.cpp)
  struct OwnIcvs* own_icvs = nullptr;       // of these tasks, the innermost first (core/icv.cpp)
  RefusedLists refused_lists;
  uint64_t released = 0; // tasks that became ready here, and stay with the worker
  FibersState fibers;
  ReductionsState reductions;
  TargetHandle target;
  // Fibers whose tasks were resumed by other threads: these push, the worker takes all.
  alignas(kCacheLine) atomic<class Fiber*> resumed{nullptr};

  /// The open construct whose task this is; null: there is none.
  OpenConstruct* construct_of(const Task* task) const {
    OpenConstruct* construct = open_constructs;
    while (construct != nullptr && construct->task != task) construct = construct->outer;
    return construct;
  }
};

} // namespace chomp
