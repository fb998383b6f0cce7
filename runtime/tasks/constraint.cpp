// The task scheduling constraint. A task is never wrongly allowed. Where the answer is not known it is refused, except
// in the cases that progress depends on, which are exact: children of the waiting task, tasks of the group that it
// waits for, and whatever descends from an implicit task (most programs need no more). Why that suffices:
// runtime/tasks/README.md, "The scheduling constraint never deadlocks".
#include "runtime/tasks/constraint.h"

#include "runtime/config/config.h"
#include "runtime/core/team.h"
#include "runtime/core/worker.h"
#include "runtime/tasks/taskgroup.h"

namespace chomp {
namespace {

constexpr int kMostSteps = 512; // of an ancestor walk; beyond, the answer is no

// Walks from a task that cannot finish towards the root. Its parent's header is therefore intact, and the header of any
// further ancestor is intact while the one before it has not finished. So pointers are read on the way up, and verified
// on the way back: each `owner` is read after the one above it, and one that says "unfinished" proves what was read
// through it. A header that was reused meanwhile is still a header; the walk ends because depths must fall.
bool walk_up(const Task* from, const Task* ancestor, uint32_t ancestor_depth, int steps) {
  // relaxed, all: verified below.
  const Task* parent = from->parent.load(std::memory_order_relaxed);
  if (parent == ancestor) return true;
  if (parent == nullptr || steps == 0) return false;
  uint32_t depth = parent->depth();
  if (depth <= ancestor_depth || depth >= from->depth()) return false;
  if (!walk_up(parent, ancestor, ancestor_depth, steps - 1)) return false;
  // acquire: pairs with the release of `parent` in task_fill(): a walk that has read a reused header sees that the task
  // through which it came there had finished before.
  thread_fence(std::memory_order_acquire);
  return parent->owner() != Task::kOwnerFinished;
}

bool belongs_to(const Task* task, const Taskgroup* group) {
  for (const Taskgroup* each = task->taskgroup; each != nullptr; each = each->parent)
    if (each == group) return true;
  return false;
}

} // namespace

const Task* innermost_tied(const Worker* worker) {
  const Task* task = worker->current;
  while (!task->is(kTied)) { // ends at the implicit task, which is tied
    if (task == worker->innermost_wait.waiter) return worker->innermost_wait.tied;
    task = task->below();
  }
  return task;
}

Constraint constraint_now(const Worker* worker, const Member* member, const Taskgroup* waiting_for) {
  Constraint constraint;
  if (!config.task_stealing_constraint) return constraint;
  const Task* task = innermost_tied(worker);
  if (task->is(kImplicit) && member->in_barrier) return constraint;
  constraint.innermost = task;
  constraint.waiter = worker->current;
  constraint.group = waiting_for;
  return constraint;
}

bool constraint_allows(void* context, QueueHook* hook) {
  const Constraint& constraint = *static_cast<Constraint*>(context);
  const Task* task = static_cast<Task*>(hook);
  const Task* innermost = constraint.innermost;
  if (innermost == nullptr) return true;
  if (innermost->is(kImplicit)) return task->root() == innermost->root();
  // relaxed: a queued task's own field.
  if (task->parent.load(std::memory_order_relaxed) == constraint.waiter) return true;
  if (constraint.group != nullptr && belongs_to(task, constraint.group)) return true;
  return walk_up(task, innermost, innermost->depth(), kMostSteps);
}

} // namespace chomp
