// Taskgroups (OpenMP 5.2, 15.4). A group raises the owner's floor to the top when it begins. Its end runs what the
// deque holds above that, then waits until no exported task of the group is pending. An exported task runs what it
// leaves in the private deque of its worker before it counts as finished (leave_deque()). Proof:
// runtime/tasks/README.md, "Taskgroups".
#include "runtime/tasks/taskgroup.h"

#include "runtime/core/events.h"
#include "runtime/wait/work_loop.h"
#include "runtime/tasks/task_reduction.h"
#include "runtime/stealing/publish.h"
#include "runtime/core/memory.h"
#include "runtime/tasks/task_graph.h"
#include "runtime/tasks/task_run.h"

namespace chomp {
namespace {

constexpr unsigned kGroupClass = (sizeof(Task) + sizeof(Taskgroup) + 63) / 64; // as object_allocate() chooses it

// Runs all tasks that the group has in the owner's deque. False if they have to take the slow path: see
// must_run_slow().
inline bool run_private_tasks(Worker* worker, Member* member, Task* task) {
  if (CHOMP_UNLIKELY(must_run_slow(worker))) return false;
  uint64_t floor = member->deque.floor(), top;
  while (Task* each = member->deque.pop_above(floor, &top)) {
    publish_unless_last(member, floor, top);
    run_task_here(worker, member, each, task, floor, top);
  }
  return true;
}

__attribute__((noinline, cold)) void wait_for_taskgroup(Worker* worker, Taskgroup* group) {
  Wait wait{WaitFor::kTaskgroup};
  wait.group = group;
  Task* task = worker->current;
  if (CHOMP_UNLIKELY(task->is(kRecords))) graph_note_group_end(worker);
  ObservedWait observed(worker, task, WaitFor::kTaskgroup);
  work_loop(worker, worker->member, wait);
}

} // namespace

void task_count_begun_exported(Member* member, Task* task) {
  Taskgroup* own = task->taskgroup;
  while (task->taskgroup != nullptr && task->taskgroup->owner == task) task->taskgroup = task->taskgroup->parent;
  task_count_exported(member, task);
  task->taskgroup = own;
}

void taskgroup_begin(Worker* worker) {
  Task* task = worker->current;
  auto* group = reinterpret_cast<Taskgroup*>(block_allocate(worker, kGroupClass) + 1);
  group->parent = task->taskgroup;
  group->owner = task;
  group->outer_floor = worker->member->deque.raise_floor();
  group->owner_gtid = worker->gtid;
  // relaxed, both: no other worker knows the group yet.
  group->pending.store(0, std::memory_order_relaxed);
  group->cancelled.store(0, std::memory_order_relaxed);
  group->of_construct = group->reduces = group->owns_reduction = false;
  group->reduction = nullptr;
  task->taskgroup = group;
  if (CHOMP_UNLIKELY(task->is(kObserved | kRecords)))
    task->is(kObserved) ? event_group_begin(worker, task) : graph_note_group_begin(worker);
}

void taskgroup_end(Worker* worker) {
  Task* task = worker->current;
  Taskgroup* group = task->taskgroup;
  if (CHOMP_UNLIKELY(group == nullptr)) return;
  Member* member = worker->member;
  bool ran = run_private_tasks(worker, member, task);
  end_throttling(task);
  // First the deque, then the count, as in taskgroup_is_finished().
  if (CHOMP_UNLIKELY(!ran || exported_tasks_are_left(group))) wait_for_taskgroup(worker, group);
  if (CHOMP_UNLIKELY(group->owns_reduction)) task_reduction_finish(worker, group);
  task->taskgroup = group->parent;
  member->deque.restore_floor(group->outer_floor);
  block_free_own(worker, Task::of_payload(group), kGroupClass);
}

void taskgroups_drop(Worker* worker, Taskgroup* innermost) {
  for (Taskgroup* group = innermost; group != nullptr;) {
    Taskgroup* outer = group->parent;
    if (group->owns_reduction) task_reduction_drop(worker, group);
    block_free(worker, Task::of_payload(group), kGroupClass);
    group = outer;
  }
}

// The deque is then shorter than it was when the groups began, and what the groups make next lies further down. So
// their floors follow.
Task* taskgroup_pop_older(Worker* worker, Member* member) {
  Task* task = worker->current;
  PrivateDeque& deque = member->deque;
  Taskgroup* innermost = task->taskgroup;
  uint64_t outermost_floor = deque.floor();
  for (Taskgroup* group = innermost; group != nullptr && group->owner == task; group = group->parent)
    outermost_floor = group->outer_floor;
  if (outermost_floor == deque.floor()) return nullptr;
  Task* child = deque.pop_above(outermost_floor);
  if (child == nullptr) return nullptr;
  deque.lower_floor();
  for (Taskgroup* group = innermost; group != nullptr && group->owner == task; group = group->parent)
    group->outer_floor = std::min(group->outer_floor, deque.top());
  return child;
}

bool taskgroup_is_finished(const Taskgroup* group, const Member* member) {
  // First the deque, then the count: a member that exports a task counts it before the owner can see it gone.
  return !member->deque.holds_above(member->deque.floor()) && !exported_tasks_are_left(group);
}

} // namespace chomp
