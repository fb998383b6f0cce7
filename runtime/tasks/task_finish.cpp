// The slow half of a task's end. See task_finish.h.
#include "runtime/tasks/task_finish.h"

#include "runtime/base/os_linux.h"
#include "runtime/base/policy.h"
#include "runtime/base/race_detector.h"
#include "runtime/core/events.h"
#include "runtime/core/icv.h"
#include "runtime/core/memory.h"
#include "runtime/threads/wake.h"
#include "runtime/dependences/dependence_table.h"
#include "runtime/dependences/task_deps.h"
#include "runtime/stealing/task_affinity.h"
#include "runtime/tasks/task_detach.h"
#include "runtime/tasks/task_graph.h"
#include "runtime/tasks/taskgroup.h"
#include "runtime/tasks/transparent.h"

namespace chomp {
namespace {

// So many finished tasks may lie in a row between a task and an ancestor that has not finished. The next that finishes
// leaves them out, so that a chain of tasks, each of which makes the next and ends, keeps no more headers than that.
constexpr uint32_t kMostLinks = policy::kBatch;

// What a finished task whose header stays keeps in its local_children: how many finished ones are in a row above it,
// and as what its parent counts it, as one that holds the header or still as a child.
struct FinishedTask {
  uint32_t word;
  FinishedTask(uint32_t links, bool holds) : word(links << 1 | holds) {}
  explicit FinishedTask(const Task* task) : word(task->local_children) {}
  uint32_t links() const { return word >> 1; }
  int64_t kept_by() const { return (word & 1) != 0 ? Task::kOneHold : Task::kOneChild; }
};

void free_task(Worker* worker, Task* task) {
  if (CHOMP_UNLIKELY(task->extra != nullptr)) return graph_header_released(worker, task); // it will run again
  block_free(worker, task, task->flags >> kSizeClassShift);
}

// In a free block the counts must be zero.
void free_parent(Worker* worker, Task* task) {
  memory_taken(task);
  task->local_children = 0;
  task->shared_children.store(0, std::memory_order_relaxed); // relaxed: nobody else holds the task
  free_task(worker, task);
}

// Nothing needs the task's header any more: it goes, and perhaps the one above that it has kept, and so on.
void header_released(Worker* worker, Task* task) {
  for (;;) {
    Task* parent = task->parent.load(std::memory_order_relaxed); // relaxed: nobody writes it any more
    int64_t kept_by = FinishedTask(task).kept_by();
    free_parent(worker, task);
    // acq_rel: pairs with itself: the last one frees what all have left.
    if (parent->shared_children.fetch_sub(kept_by, std::memory_order_acq_rel) - kept_by != Task::kMerged) return;
    task = parent;
  }
}

// One child of `parent` less; `change` may leave a hold instead. After the change the parent may be gone: its owner is
// read before. Worker records are never unmapped.
void child_finished_elsewhere(Worker* worker, Task* parent, int64_t change = -Task::kOneChild) {
  uint16_t owner = parent->owner();
  // acq_rel: release pairs with acquire in has_children() and with that of the last child; acquire lets the last child
  // free the header.
  int64_t after = parent->shared_children.fetch_add(change, std::memory_order_acq_rel) + change;
  if (after == Task::kMerged) return header_released(worker, parent);
  if (Task::count_in(after) == 0 && (after & (Task::kWaiting | Task::kMerged)) == Task::kWaiting)
    worker_wake(worker_by_gtid(owner - 1));
}

// The body of a detachable task has returned: the thread that fulfils its event will finish it, so its header must not
// depend on this worker any more. The task itself counts like a child, until task_leave_header(). It is not finished.
void merge_counts_but_hold(Task* task) {
  memory_given(task);
  int64_t added = Task::children(task->unshared_children() + 1) + Task::kMerged;
  task->set_owner(Task::kOwnerDetached);
  task->flags |= kHeld;
  task->shared_children.fetch_add(added, std::memory_order_acq_rel); // acq_rel: pairs as in keep_header()
}

// The nearest ancestor that has not finished. Each finished one on the way keeps the next.
Task* nearest_unfinished(Task* task) {
  // acquire: pairs with release in keep_header(), after which `parent` stays as it is.
  while (task->owner_acquire() == Task::kOwnerFinished) task = task->parent.load(std::memory_order_relaxed);
  return task;
}

// The finished task has descendants, so it keeps its parent's header from now on; before that, the parent counts it.
FinishedTask keep_parent(Worker* worker, Task* task, Task* parent, bool counted) {
  if (parent->owner() == worker->id) { // it lies below on this stack
    // relaxed: for others the hold is released with what follows.
    parent->shared_children.fetch_add(Task::kOneHold, std::memory_order_relaxed);
    parent->local_children -= counted;
    return FinishedTask(0, true);
  }
  // acquire, both: pair with keep_header() of the parent.
  bool merged = (parent->shared_children.load(std::memory_order_acquire) & Task::kMerged) != 0;
  uint32_t links = parent->owner_acquire() == Task::kOwnerFinished ? FinishedTask(parent).links() + 1 : 0;
  if (links > kMostLinks) {
    Task* above = nearest_unfinished(parent);
    // relaxed: the headers in between keep it until they go.
    above->shared_children.fetch_add(Task::kOneHold, std::memory_order_relaxed);
    // release: pairs with the acquire fence of an ancestor walk, which may be on its way through the parent.
    task->parent.store(above, std::memory_order_release);
    if (counted) child_finished_elsewhere(worker, parent);
    return FinishedTask(0, true);
  }
  if (counted && merged) return FinishedTask(links, false); // nobody waits for it there: the count stays
  child_finished_elsewhere(worker, parent, counted ? Task::kOneHold - Task::kOneChild : Task::kOneHold);
  return FinishedTask(links, true);
}

// The task has unfinished children, or headers below: its own stays until they have gone.
void keep_header(Worker* worker, Task* task, int64_t added, bool counted) {
  memory_given(task);
  FinishedTask left = keep_parent(worker, task, task->parent.load(std::memory_order_relaxed), counted);
  task->local_children = left.word;
  task->set_finished();
  // acq_rel: release hands the header to the last child; acquire pairs with children that were faster.
  if (task->shared_children.fetch_add(added, std::memory_order_acq_rel) + added == Task::kMerged)
    header_released(worker, task);
}

void free_extra(Worker* worker, Task* task) {
  if (task->extra->table != nullptr) dependence_table_free(worker, task);
  if (CHOMP_UNLIKELY(task->extra->event != nullptr)) event_drop(worker, task);
  if (!is_of_graph(task)) task_extra_free(worker, task);
}

// Any thread may fulfil the event of an undeferred task, and later. So later siblings wait for its children now.
void export_before_event(Worker* worker, Member* member, Task* task) {
  if (is_transparent(task) && task->extra->dependence == nullptr)
    transparent_export(worker, member->team, !member->team->serial(), task);
}

// What comes while the task is still this worker's: destructors, the detached event. Returns false if the task is not
// finished yet.
bool end_here(Worker* worker, Member* member, Task* task) {
  task_destroy_copies(worker, task);
  icvs_release(worker, task);
  if (!may_end_elsewhere(task)) return true;
  export_before_event(worker, member, task);
  return task_detach_at_end(worker, member, task);
}

// What waits for the task is released. `outside`: this is not the stack of the worker that ran it.
void release_others(Worker* worker, Team* team, Task* task, bool outside) {
  if (task->is(kHasAffinity)) {
    CHECK(task->extra != nullptr); // the block was made with the flag
    if (task->extra->affinity != 0 && !outside) affinity_remember(worker->member, task);
    if (task->extra->transparent) transparent_export(worker, team, !outside && !team->serial(), task);
  }
  if (task->is(kHasDependences))
    outside ? dependences_release_outside(worker, team, task) : dependences_release(worker, worker->member, task);
  if (task->extra != nullptr) free_extra(worker, task);
}

// The end of every task that is not ended by finish_task_quick(), nor replayed.
void end_task_of(Worker* worker, Team* team, Task* task, bool outside) {
  if (task->is(kHasAffinity | kHasDependences | kHasExtra)) release_others(worker, team, task, outside);
  bool counted = !task->is(kUncounted), exported = counted && task->is(kExported);
  if (exported) taskgroup_count_finished(task->taskgroup);
  task_leave_header(worker, task, counted);
  if (exported) task_count_completed(worker, team);
}

bool end_moves_lines(const Task* task) {
  return task->is(kHasDependences) || task->is(kExported) || (task->is(kHasExtra) && is_replayed(task));
}

// Times the end of a task that was published or has dependences. It is no work of a thief (stealing/steal_timer.h).
class EndTimer {
public:
  EndTimer(Worker* worker, const Task* task)
      : worker_(worker),
        began_(worker->stealing.timed_acquisitions != 0 && end_moves_lines(task) ? cycle_counter() : 0) {}
  ~EndTimer() {
    if (CHOMP_UNLIKELY(began_ != 0)) worker_->stealing.end_cycles += cycle_counter() - began_;
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
  bool was_pending = task->is(kObserved) && observed(task)->stays_detached;
  if (!detach_body_returned(worker, task)) return false;
  if (CHOMP_UNLIKELY(was_pending)) event_task_fulfilled(worker, task); // since we looked
  return true;
}

void task_count_child_finished(Worker* worker, Task* parent) {
  fetch_for_write(parent);
  if (parent->owner() == worker->id) // as in finish_task_quick()
    --parent->local_children;
  else
    child_finished_elsewhere(worker, parent);
}

void task_leave_header(Worker* worker, Task* task, bool counted) {
  int64_t added = task->is(kHeld) ? -Task::kOneChild : Task::children(task->unshared_children()) + Task::kMerged;
  // acquire: pairs with the last child's decrement. If nothing is left, nothing can come any more.
  if (task->shared_children.load(std::memory_order_acquire) + added != Task::kMerged)
    return keep_header(worker, task, added, counted);
  if (counted) // relaxed: nobody writes the parent any more
    task_count_child_finished(worker, task->parent.load(std::memory_order_relaxed));
  free_parent(worker, task);
}

void finish_task_counted(Worker* worker, Task* task) {
  if (has_counts(task)) return task_leave_header(worker, task, true);
  child_finished_elsewhere(worker, task->parent.load(std::memory_order_relaxed)); // relaxed: as in finish_task_quick()
  free_task(worker, task);
}

void task_count_completed(Worker* worker, Team* team) {
  Member* member = worker->member;
  if (CHOMP_LIKELY(member->team == team)) return member->counts.add_pending();
  team->counts.complete_outside(1);
  wake_one_sleeper(team);
}

void finish_task_slow_flags(Worker* worker, Member* member, Task* task) {
  EndTimer timer(worker, task);
  if (CHOMP_UNLIKELY(task->is(kHasExtra)) && CHOMP_UNLIKELY(is_replayed(task)))
    return graph_finish_task(worker, member, task);
  if ((task->flags & kSlowAtFinish & ~kExported) != 0 && !end_here(worker, member, task)) return;
  end_task_of(worker, member->team, task, false);
}

void finish_task_outside(Worker* worker, Team* team, Task* task) {
  EndTimer timer(worker, task);
  if (task->is(kObserved)) event_task_fulfilled(worker, task);
  if (is_replayed(task)) return graph_finish_task_outside(worker, team, task);
  end_task_of(worker, team, task, true);
}

} // namespace chomp
