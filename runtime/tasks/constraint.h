// The task scheduling constraint (OpenMP 5.2, 12.9): a tied task may start on a thread only if it descends from every
// tied task suspended there, those suspended in a barrier excepted. It is enough to look at the innermost one.
//
// chomp asks the same of untied tasks. The specification does not ask it. But an unrelated untied task on top of a
// suspended tied task could wait for tied children of its own. This thread may not run them. If all threads do that,
// all wait for ever. So whatever lies above a suspended tied task on a stack descends from it.
#pragma once

#include "runtime/core/task.h"
#include "runtime/core/worker.h"

namespace chomp {

struct Member;

/// The task trees of most programs are less deep. A task that needs more steps is refused: progress does not depend on
/// it, speed does.
inline constexpr int kMostSteps = 2048;

struct Constraint {
  const Task* innermost = nullptr;  // the innermost suspended tied task; null: anything may run
  const Task* waiter = nullptr;     // the current task
  const Taskgroup* group = nullptr; // the group at whose end it waits, if it does
  const Task* importer = nullptr;   // the current task, if it waits beyond its children (transparent.h)
  // How many steps the ancestor walks of one look for work may still take: they are made under the locks of queues.
  int steps_left = kMostSteps;
  RefusedLists* refused = nullptr; // of the wait: notes refusals, and whether one was for want of steps
  const Task** path = nullptr;     // room for kMostSteps tasks, where a tied task waits
  const Task* refused_parent =
      nullptr; // the last walk that refused a task began here: siblings are refused without a walk
};

/// The innermost tied task on the worker's stack. Where children of what runs on top could not run, every task counts
/// as tied (Member::runs_children). Stops looking where an outer wait has looked before: stacks of untied tasks grow
/// deep.
const Task* innermost_tied(const Worker* worker);

/// The constraint on what may run on top of the current task.
Constraint constraint_now(Worker* worker, const Member* member, const Taskgroup* waiting_for);

/// Eligible::may_run for a Constraint as context. The task must be unable to finish meanwhile: it is in a queue whose
/// lock is held, or the caller has taken it.
bool constraint_allows(void* context, QueueHook* hook);

/// What may run on top of the current task of `worker`. What the innermost wait has refused stays refused while its
/// task is the current one. A task that yields on top of it asks anew.
inline Eligible eligible_under(Worker* worker, Constraint& constraint) {
  auto depth_of = [](const QueueHook* task) { return static_cast<const Task*>(task)->depth(); };
  bool yields = worker->current != worker->tasks.innermost_wait.waiter;
  bool waits = constraint.innermost != nullptr && !yields;
  if (waits) constraint.refused = &worker->tasks.refused_lists;
  // What is imported may be less deep than the waiter, by any number of generations; so may what a task yields to.
  bool imports = constraint.importer != nullptr;
  bool blocked_here = worker->current == worker->tasks.fibers.blocked_here;
  return Eligible{constraint_allows,
                  depth_of,
                  &constraint,
                  worker->current->depth() - (imports || yields || blocked_here ? uint32_t{INT32_MAX / 2} : 0),
                  waits ? &worker->tasks.refused_lists : nullptr,
                  waits && !imports && !constraint.innermost->is(kImplicit)};
}

} // namespace chomp
