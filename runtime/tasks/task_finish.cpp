// The slow half of a task's end. See task_finish.h.
#include "runtime/tasks/task_finish.h"

#include "runtime/base/os_linux.h"
#include "runtime/base/race_detector.h"
#include "runtime/core/events.h"
#include "runtime/core/icv.h"
#include "runtime/threads/wake.h"
#include "runtime/dependences/dependence_table.h"
#include "runtime/dependences/task_deps.h"
#include "runtime/wait/work_loop.h"
#include "runtime/tasks/task_affinity.h"
#include "runtime/tasks/task_detach.h"
#include "runtime/tasks/task_graph.h"
#include "runtime/tasks/taskgroup.h"
#include "runtime/tasks/transparent.h"

namespace chomp {
namespace {

void free_task(Worker* worker, Task* task) {
  if (CHOMP_UNLIKELY(task->extra != nullptr)) return graph_header_released(worker, task); // it will run again
  block_free(worker, task, task->flags >> kSizeClassShift);
}

// The same for a task whose counts of children were used: in a free block they must be zero.
void free_parent(Worker* worker, Task* task) {
  memory_taken(task);
  task->local_children = 0;
  task->shared_children.store(0, std::memory_order_relaxed); // relaxed: nobody else holds the task
  free_task(worker, task);
}

// After the decrement the parent may be gone: its owner is read before. Worker records are never unmapped.
CHOMP_SLOW void child_finished_elsewhere(Worker* worker, Task* parent) {
  uint16_t owner = parent->owner();
  // acq_rel: release pairs with acquire in has_children() and with that of the last child; acquire lets the last child
  // free the header.
  int64_t before = parent->shared_children.fetch_sub(Task::kOneChild, std::memory_order_acq_rel);
  if (Task::count_in(before) != 1) return;
  if ((before & Task::kMerged) != 0)
    free_parent(worker, parent);
  else if ((before & Task::kWaiting) != 0)
    worker_wake(worker_by_gtid(owner - 1));
}

// The body of a detachable task has returned: the thread that fulfils its event will finish it, so its header must not
// depend on this worker any more. The hold counts like a child; release_memory() drops it. The task is not finished: an
// ancestor walk must get past it, since one of its children may fulfil the event.
void merge_counts_but_hold(Task* task) {
  memory_given(task);
  task->set_owner(Task::kOwnerDetached);
  task->flags |= kHeld;
  // acq_rel: pairs with the decrements of children, as in task_merge_counts().
  task->shared_children.fetch_add((task->unshared_children() + 1) * Task::kOneChild + Task::kMerged,
                                  std::memory_order_acq_rel);
}

// The owner is set before the task is counted at its parent. That count may free the parent, which an ancestor walk
// reads if it sees the task unfinished.
CHOMP_SLOW void count_at_parent_elsewhere(Worker* worker, Task* task, Task* parent) {
  task->set_owner(Task::kOwnerFinished);
  child_finished_elsewhere(worker, parent);
}

void count_at_parent(Worker* worker, Task* task) {
  Task* parent = task->parent.load(std::memory_order_relaxed); // relaxed: nobody writes it any more
  fetch_for_write(parent);
  if (parent->owner() == worker->id) // as in finish_task_quick()
    --parent->local_children;
  else
    count_at_parent_elsewhere(worker, task, parent);
}

void release_memory(Worker* worker, Task* task) {
  if (task->is(kHeld)) return child_finished_elsewhere(worker, task);
  if (has_counts(task)) return task_merge_counts(worker, task);
  free_task(worker, task);
}

void count_finished(Worker* worker, Member* member, Task* task) {
  if (task->is(kExported)) taskgroup_count_finished(task->taskgroup);
  count_at_parent(worker, task);
  if (task->is(kExported))
    ++member->completion_pending; // last: nothing of the task but its own memory is touched afterwards
}

void free_extra(Worker* worker, Task* task) {
  if (task->extra->table != nullptr) dependence_table_free(worker, task);
  if (!is_of_graph(task)) task_extra_free(worker, task);
}

void finish_transparent_or_affine(Worker* worker, Member* member, Task* task) {
  CHECK(task->extra != nullptr); // the block was made with the flag
  if (task->extra->affinity != 0) affinity_remember(member, task);
  if (task->extra->transparent) transparent_export(worker, member->team, !member->team->serial(), task);
}

// Any thread may fulfil the event of an undeferred task, and later. So later siblings wait for its children now.
void export_before_event(Worker* worker, Member* member, Task* task) {
  if (is_transparent(task) && task->extra->dependence == nullptr)
    transparent_export(worker, member->team, !member->team->serial(), task);
}

// Destructors, dependences, detached events. Returns false if the task is not finished yet.
bool run_last_duties(Worker* worker, Member* member, Task* task) {
  task_destroy_copies(worker, task);
  icvs_release(worker, task);
  if (task->is(kDetachable) && task->extra != nullptr && task->extra->event != nullptr) {
    export_before_event(worker, member, task);
    if (!task_detach_at_end(worker, member, task)) return false;
  }
  if (task->is(kHasAffinity)) finish_transparent_or_affine(worker, member, task);
  if (task->is(kHasDependences)) dependences_release(worker, member, task);
  if (task->extra != nullptr) free_extra(worker, task);
  return true;
}

bool end_moves_lines(const Task* task) {
  return task->is(kHasDependences) || task->is(kExported) || (task->is(kHasExtra) && is_replayed(task));
}

// Times the end of a task that was published or has dependences. It is no work of a thief (share/hand_over_timer.h).
class EndTimer {
public:
  EndTimer(Worker* worker, const Task* task)
      : worker_(worker), began_(worker->timed_acquisitions != 0 && end_moves_lines(task) ? cycle_counter() : 0) {}
  ~EndTimer() {
    if (CHOMP_UNLIKELY(began_ != 0)) worker_->end_cycles += cycle_counter() - began_;
  }
  EndTimer(const EndTimer&) = delete;
  EndTimer& operator=(const EndTimer&) = delete;

private:
  Worker* worker_;
  uint64_t began_; // by the cycle counter; 0: it is not timed
};

} // namespace

bool task_detach_at_end(Worker* worker, Member* member, Task* task) {
  merge_counts_but_hold(task);
  // Another thread may count the task as finished while tasks that it made are still in this deque. One more exported
  // task stands for those.
  member_count_exported(member, 1);
  ++member->completion_pending;
  bool was_pending = task->is(kObserved) && observed(task)->stays_detached;
  if (!detach_body_returned(worker, task)) return false;
  if (CHOMP_UNLIKELY(was_pending)) event_task_fulfilled(worker, task); // since we looked
  task->set_owner(Task::kOwnerFinished);
  return true;
}

void task_count_child_finished(Worker* worker, Task* parent) {
  if (parent->owner() == worker->id) // as in finish_task_quick()
    --parent->local_children;
  else
    child_finished_elsewhere(worker, parent);
}

void task_release_header(Worker* worker, Task* task) { release_memory(worker, task); }

void task_merge_counts(Worker* worker, Task* task) {
  memory_given(task);
  task->set_owner(Task::kOwnerFinished);
  int64_t added = task->unshared_children() * Task::kOneChild + Task::kMerged;
  // acq_rel: release hands the header to the last child; acquire pairs with children that were faster than this merge.
  int64_t before = task->shared_children.fetch_add(added, std::memory_order_acq_rel);
  if (Task::count_in(before + added) == 0) free_parent(worker, task);
}

void finish_task_elsewhere(Worker* worker, Task* task) {
  count_at_parent_elsewhere(worker, task,
                            task->parent.load(std::memory_order_relaxed)); // relaxed: as in finish_task_quick()
  release_memory(worker, task);
}

void finish_task_slow_flags(Worker* worker, Member* member, Task* task) {
  EndTimer timer(worker, task);
  if (CHOMP_UNLIKELY(task->is(kHasExtra)) && CHOMP_UNLIKELY(is_replayed(task)))
    return graph_finish_task(worker, member, task);
  if ((task->flags & kSlowAtFinish & ~kExported) != 0 && !run_last_duties(worker, member, task)) return;
  if (!task->is(kUncounted)) count_finished(worker, member, task);
  release_memory(worker, task);
}

void finish_task_outside(Worker* worker, Team* team, Task* task) {
  EndTimer timer(worker, task);
  if (task->is(kObserved)) event_task_fulfilled(worker, task);
  task->set_owner(Task::kOwnerFinished);
  if (is_replayed(task)) return graph_finish_task_outside(worker, team, task);
  if (is_transparent(task)) transparent_export(worker, team, false, task);
  if (task->is(kHasDependences)) dependences_release_outside(worker, team, task);
  if (task->extra != nullptr) free_extra(worker, task);
  Member* member = worker->member;
  if (member->team == team) {
    count_finished(worker, member, task);
    return release_memory(worker, task);
  }
  taskgroup_count_finished(task->taskgroup);
  count_at_parent(worker, task);
  release_memory(worker, task);
  // release: pairs with acquire in team_tasks_finished(). The team may be gone afterwards; its memory is not.
  team->finished_outside.fetch_add(1, std::memory_order_release);
  wake_one_sleeper(team);
}

} // namespace chomp
