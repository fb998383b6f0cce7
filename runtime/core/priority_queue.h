// The tasks of a team that have a positive priority (OpenMP 5.2, 12.4): highest first, oldest first among equals. It is
// a sorted array of levels, each a list. Levels stay once they were used, so that programs with a few priorities
// allocate once.
#pragma once

#include "runtime/base/atomic.h"
#include "runtime/base/lock.h"
#include "runtime/config/config.h"
#include "runtime/core/task.h"
#include "schedulers/scheduler.h"

namespace chomp {

// The compiler stores the value of the clause in the payload after it has allocated the task, and there it stays.
/// At most OMP_MAX_TASK_PRIORITY, which is 0 by default; 0 also if the task has no such clause.
inline int32_t task_priority(Task* task) {
  if (CHOMP_LIKELY(!task->is(kPrioritySpecified))) return 0;
  int32_t priority = task->payload()->data2.priority;
  return priority < config.max_task_priority ? priority : config.max_task_priority;
}

class PriorityQueue {
public:
  /// How many tasks wait; a hint, exact after a heavy fence.
  // relaxed: see above.
  uint32_t size() const { return count_.load(std::memory_order_relaxed); }
  /// The highest priority of a task that waits, 0 if none does; a hint likewise.
  int32_t highest() const { return highest_.load(std::memory_order_relaxed); } // relaxed: see above
  /// How often tasks were pushed or taken; a hint.
  uint32_t changes() const { return changes_.load(std::memory_order_relaxed); } // relaxed: a hint

  void push(Task* task, int32_t priority);

  /// Takes the first task with a priority above `least` that may run; null if there is none.
  Task* take(const Eligible& eligible, int32_t least = 0);

  /// Called in the child of fork(): no other thread has the lock.
  void reset_after_fork() { lock_.reset_after_fork(); }
  /// The child forgets the tasks, too.
  void forget_after_fork();

private:
  struct Level {
    int32_t priority;
    TaskBatch tasks;
  };
  Level* level_of_locked(int32_t priority);
  void make_room_locked();
  void note_change_locked(uint32_t count);

  atomic<uint32_t> count_{0};
  Lock lock_;
  atomic<int32_t> highest_{0};
  atomic<uint32_t> changes_{0};
  Level* levels_ = nullptr; // [level_count_], highest priority first
  uint32_t level_count_ = 0, capacity_ = 0;
  uint32_t first_ = 0; // no level before this one has tasks; outside the lock this one has some, if any has
};

} // namespace chomp
