// The task scheduling constraint. A task is never wrongly allowed: if the answer is not known, it is refused. Where
// progress depends on the answer, it is exact: for children of the waiting task, tasks of the group that it waits for,
// and whatever descends from an implicit task. Why that suffices: runtime/tasks/constraint.md.
#include "runtime/tasks/constraint.h"

#include "runtime/config/config.h"
#include "runtime/core/memory.h"
#include "runtime/core/team.h"
#include "runtime/core/worker.h"
#include "runtime/tasks/taskgroup.h"
#include "runtime/tasks/transparent.h"

namespace chomp {
namespace {

int32_t generations_between(const Task* task, const Task* innermost) {
  return static_cast<int32_t>(task->depth() - innermost->depth()); // depths wrap
}

// Whether the walk needs more steps than this look has left, but no more than another look would have.
bool too_long_now(const Task* task, const Constraint& constraint) {
  int32_t steps = generations_between(task, constraint.innermost) - 1;
  return steps > constraint.steps_left && steps <= kMostSteps;
}

// Walks from a task that cannot finish towards the root. Its parent's header is therefore intact, and the header of any
// further ancestor is intact while the one before it has not finished. So pointers are read on the way up, and verified
// on the way back. There each `owner` is read after the one above it, and an owner that says "unfinished" proves what
// was read through its header. A header that was reused meanwhile is still a header.
//
// A child is one generation deeper than its parent, so the first look says how long the walk is. A walk that is too
// long is not begun.
bool descends(const Task* task, Constraint& constraint) {
  const Task* innermost = constraint.innermost;
  int32_t generations = generations_between(task, innermost);
  if (generations < 1 || generations - 1 > kMostSteps) return false;
  const Task** path = constraint.path;
  // relaxed, all: verified below.
  const Task* above = task->parent.load(std::memory_order_relaxed);
  for (int step = 0; step < generations - 1; ++step) {
    if (above == nullptr) return false;
    path[step] = above;
    above = above->parent.load(std::memory_order_relaxed);
  }
  constraint.steps_left -= generations - 1;
  if (above != innermost) return false;
  for (int step = generations - 2; step >= 0; --step) {
    // acquire: pairs with the release of `parent` in task_fill(): a walk that has read a reused header sees that the
    // task through which it came there had finished before.
    thread_fence(std::memory_order_acquire);
    if (path[step]->owner() == Task::kOwnerFinished) return false;
  }
  return true;
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

// The path of a walk is not on the stack, where a thread that waits may have little left.
static const Task** room_for_path(Worker* worker) {
  if (CHOMP_UNLIKELY(worker->ancestors == nullptr))
    worker->ancestors = static_cast<const Task**>(memory_permanent(kMostSteps * sizeof(const Task*)));
  return worker->ancestors;
}

Constraint constraint_now(Worker* worker, const Member* member, const Taskgroup* waiting_for) {
  Constraint constraint;
  if (CHOMP_UNLIKELY(worker->importers != 0) && waits_beyond_children(worker->current))
    constraint.importer = worker->current;
  if (!config.task_stealing_constraint) return constraint;
  const Task* task = innermost_tied(worker);
  if (task->is(kImplicit) && member->in_barrier) return constraint;
  constraint.innermost = task;
  constraint.waiter = worker->current;
  constraint.group = waiting_for;
  if (task->is(kImplicit)) return constraint;
  constraint.path = room_for_path(worker);
  if (constraint.waiter == worker->innermost_wait.waiter)
    constraint.steps_left = kMostSteps << worker->refused_lists.longer_looks();
  return constraint;
}

bool constraint_allows(void* context, QueueHook* hook) {
  Constraint& constraint = *static_cast<Constraint*>(context);
  const Task* task = static_cast<Task*>(hook);
  const Task* innermost = constraint.innermost;
  if (innermost == nullptr) return true;
  if (innermost->is(kImplicit)) return task->root() == innermost->root();
  const Task* parent = task->parent.load(std::memory_order_relaxed); // relaxed: a queued task's own field
  if (parent == constraint.waiter) return true;
  if (constraint.group != nullptr && belongs_to(task, constraint.group)) return true;
  if (CHOMP_UNLIKELY(constraint.importer != nullptr) && transparent_waits_for(constraint.importer, task)) return true;
  if (parent == constraint.refused_parent) return false;
  if (too_long_now(task, constraint)) {
    if (constraint.refused != nullptr) constraint.refused->not_sure();
    return false;
  }
  bool allowed = descends(task, constraint);
  if (!allowed) constraint.refused_parent = parent;
  return allowed;
}

} // namespace chomp
