// The end of a task, and of the hot path. The task is counted as finished at its group, then at its parent, then, if it
// was exported, at its member. Last its memory is given back. The path of a task that nobody stole has no locked
// instruction. The slow half is task_finish.cpp.
//
// Children are counted in two words (biased reference counting): children = local_children + shared_children. A child
// that finishes on the worker that runs its parent decrements the first, plainly; any other decrements the second by a
// read-modify-write. A parent that finishes before its children merges the two words (kMerged): from then on all
// children use the shared word, and the one that brings it to zero frees the header. Proof: runtime/tasks/README.md,
// "Counting children".
#pragma once

#include "runtime/core/team.h"
#include "runtime/core/memory.h"

namespace chomp {

/// The end of a task that is kSlowAtFinish: exported, with destructors, with dependences …
__attribute__((noinline)) void finish_task_slow_flags(Worker* worker, Member* member, Task* task);
/// The parent of the task runs on another worker, or has finished; or children were counted at the task.
__attribute__((noinline, cold)) void finish_task_counted(Worker* worker, Task* task);

/// Whether children were counted at the task since its counts were last reset (forget_counts()).
inline bool has_counts(const Task* task) {
  // relaxed is enough for the comparison with zero: it says that no child was ever counted elsewhere. Otherwise
  // task_leave_header() synchronises.
  return task->local_children != 0 || task->shared_children.load(std::memory_order_relaxed) != 0;
}

/// Whether a task has children that have not finished. Called by its runner only.
inline bool has_children(const Task* task) {
  // acquire: pairs with the release of a child that finished elsewhere (task_finish.cpp).
  int64_t shared = Task::count_in(task->shared_children.load(std::memory_order_acquire));
  return task->local_children + static_cast<uint32_t>(shared) != 0;
}

/// Destroys the objects that were copied for a task, unless its body does.
inline void task_destroy_copies(Worker* worker, Task* task) {
  if (!task->is(kDestructors) || task->payload()->data1.destructors == nullptr) return;
  PrivateDeque::FixedFloor fixed(worker->member->deque); // the destructors run as part of the task below
  task->payload()->data1.destructors(worker->gtid, task->payload());
}

inline void free_task_made_here(Worker* worker, Task* task) {
  block_free_own(worker, task, task->flags >> kSizeClassShift);
}

/// Ends a task on the worker that ran it: counts and frees it. The task is not kSlowAtFinish.
inline void finish_task_quick(Worker* worker, Task* task) {
  Task* parent = task->parent.load(std::memory_order_relaxed); // relaxed: nobody writes it any more
  // The parent's owner is our id only if we stored it and have not replaced it since: the parent lies below us on this
  // stack.
  if (CHOMP_UNLIKELY(parent->owner() != worker->id)) return finish_task_counted(worker, task);
  if (CHOMP_UNLIKELY(has_counts(task))) return finish_task_counted(worker, task);
  --parent->local_children;
  free_task_made_here(worker, task); // the worker that runs the parent made it
}

inline void finish_task(Worker* worker, Member* member, Task* task) {
  task->is(kSlowAtFinish) ? finish_task_slow_flags(worker, member, task) : finish_task_quick(worker, task);
}

/// Whether another thread may finish a task whose body has returned: it is detachable, and somebody has its event.
inline bool may_end_elsewhere(const Task* task) {
  return task->is(kDetachable) && task->extra != nullptr && task->extra->event != nullptr;
}

/// The body of such a task has returned: true if the event is fulfilled already. Otherwise the
/// task must not be touched any more. Its header is held either way (kHeld).
bool task_detach_at_end(Worker* worker, Member* member, Task* task);

/// Parts of a task's end, also for task graphs: a child of `parent` has finished; an exported task of `team` has
/// completed, after which the team may be gone.
void task_count_child_finished(Worker* worker, Task* parent);
void task_count_completed(Worker* worker, Team* team);
/// The last that is done to a task: its header goes, or stays for its descendants. If it is `counted`, its parent loses
/// a child.
void task_leave_header(Worker* worker, Task* task, bool counted);

/// The end of a detachable task whose event was fulfilled after its body returned. `worker` is the fulfilling thread's;
/// it may be no member of `team`.
void finish_task_outside(Worker* worker, Team* team, Task* task);

} // namespace chomp
