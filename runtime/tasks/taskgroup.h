// Counting at taskgroups: only exported tasks, whoever exports and finishes them. A read-modify-write each, which those
// pay who share.
#pragma once

#include "runtime/tasks/task_engine.h"
#include "runtime/core/team.h"

namespace chomp {

inline void taskgroup_count_exported(Taskgroup* group) {
  // relaxed: released by whatever makes the task visible; the owner sees it before it can see the task gone.
  if (group != nullptr) group->pending.fetch_add(Taskgroup::kOneTask, std::memory_order_relaxed);
}

/// An exported task of the group has finished, and what it left in the private deque has too. The group may be gone
/// afterwards.
inline void taskgroup_count_finished(Taskgroup* group) {
  if (group == nullptr) return;
  int32_t owner_gtid = group->owner_gtid;
  // acq_rel: pairs with itself and with acquire in taskgroup_is_finished(): the owner sees what all tasks wrote.
  int64_t before = group->pending.fetch_sub(Taskgroup::kOneTask, std::memory_order_acq_rel);
  if (before == Taskgroup::kOneTask + Taskgroup::kWaiting) worker_wake(worker_by_gtid(owner_gtid));
}

/// A task will be seen by others, or be left when its body has returned: it counts as exported. Before it can be seen.
inline void count_exported(Member* member, Task* task) {
  if (task->is(kExported)) return;
  task->flags |= kExported;
  taskgroup_count_exported(task->taskgroup);
  count_exported(member, 1);
}

} // namespace chomp
