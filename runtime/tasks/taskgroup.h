// Counting at taskgroups. Only exported tasks are counted, by the members that export and finish them: each count is a
// read-modify-write, for which only those that share tasks pay.
#pragma once

#include <cstdint>

#include "runtime/base/atomic.h"
#include "runtime/core/task.h"
#include "runtime/core/team.h"
#include "runtime/threads/wake.h"
#include "runtime/core/worker.h"

namespace chomp {

/// A group of tasks that the end of a taskgroup region waits for (OpenMP 5.2, 15.4). The owner is the task that began
/// the group. Tasks that stay in the owner's deque lie above the floor there, and are counted nowhere.
struct Taskgroup {
  static constexpr int64_t kWaiting =
      1; // the owner is parked: the member that brings the count to zero wakes the owner
  static constexpr int64_t kOneTask = 2;

  Taskgroup* parent;    // the enclosing group of the owner
  Task* owner;          // the task that began it
  uint64_t outer_floor; // the owner's floor outside the group; inside, the floor is where the group's tasks begin
  atomic<uint32_t> cancelled;
  bool of_construct;               // no taskgroup of the program: of reduction(task, …), or around a spawned task
  bool reduces;                    // its tasks take part in a reduction, whether they need copies or not
  bool owns_reduction;             // it was allocated for this group, which combines and frees
  struct TaskReduction* reduction; // the copies; the owner sets all three before it has children
  // Members that export or finish tasks of the group write this line. The fields above are read for each task of a
  // reduction.
  alignas(kCacheLine) atomic<int64_t> pending; // exported tasks of the group, in units of kOneTask, and kWaiting
  int32_t owner_gtid;
};

void taskgroup_begin(Worker* worker);
/// Waits for all tasks of the group and their descendants, combines task reductions, leaves the group.
void taskgroup_end(Worker* worker);
/// Frees the groups that a cancelled region has left in an implicit task.
void taskgroups_drop(Worker* worker, Taskgroup* innermost);
/// Pops the newest child that the current task made before it began its groups; null if there is none.
Task* taskgroup_pop_older(Worker* worker, Member* member);

/// Whether some exported task of the group has not finished.
inline bool exported_tasks_are_left(const Taskgroup* group) {
  // acquire: pairs with the decrements in taskgroup_count_finished(); the owner sees what the tasks wrote.
  return group->pending.load(std::memory_order_acquire) >= Taskgroup::kOneTask;
}

inline void taskgroup_count_exported(Taskgroup* group) {
  // relaxed: released by whatever makes the task visible; the owner sees it before it can see the task gone.
  if (group != nullptr) group->pending.fetch_add(Taskgroup::kOneTask, std::memory_order_relaxed);
}

/// An exported task of the group has finished, and so has all that it left in the private deque. The group may be gone
/// afterwards.
inline void taskgroup_count_finished(Taskgroup* group) {
  if (group == nullptr) return;
  fetch_for_write(&group->pending);
  int32_t owner_gtid = group->owner_gtid;
  // acq_rel: pairs with itself and with acquire in exported_tasks_are_left(): the owner sees what all tasks wrote.
  int64_t before = group->pending.fetch_sub(Taskgroup::kOneTask, std::memory_order_acq_rel);
  if (before == Taskgroup::kOneTask + Taskgroup::kWaiting) worker_wake(worker_by_gtid(owner_gtid));
}

/// Counts a task as exported. This comes before others can see the task, or before its body returns if it stays
/// unfinished then.
inline void task_count_exported(Member* member, Task* task) {
  if (task->is(kExported)) return;
  task->flags |= kExported;
  taskgroup_count_exported(task->taskgroup);
  member_count_exported(member, 1);
}
/// The same for a task that runs, and may have begun groups. They are not those that wait for it.
void task_count_begun_exported(Member* member, Task* task);

} // namespace chomp
