// The task scheduling constraint. A task is never wrongly allowed: if the answer is not known, it is refused. Where
// progress depends on the answer, it is exact: for children of the waiting task, tasks of the group that it waits for,
// whatever is below finished descendants, and whatever descends from an implicit task. Why that suffices:
// runtime/tasks/constraint.md.
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

enum class Answer : uint8_t { kNo, kYes, kNotNow };

// One walk towards the root, from a task that cannot finish. Fills constraint.path with the ancestors on the way, and
// sets `steps` to how many they are. The last one's parent, or the task's own if there is none, is returned in `above`.
// relaxed, all: verified by is_intact().
Answer walk(const Task* task, const Constraint& constraint, int& steps, const Task*& above) {
  const Task* innermost = constraint.innermost;
  bool far = generations_between(task, innermost) - 1 > kMostSteps;
  steps = 0;
  for (above = task->parent.load(std::memory_order_relaxed); above != innermost;) {
    if (above == nullptr || generations_between(above, innermost) < 1) return Answer::kNo;
    if (steps == constraint.steps_left) return Answer::kNotNow;
    if (CHOMP_UNLIKELY(far) && above->owner() < Task::kOwnerDetached) return Answer::kNotNow;
    constraint.path[steps++] = above;
    above = above->parent.load(std::memory_order_relaxed);
  }
  return Answer::kYes;
}

// Whether what a walk has read was the truth: each header on its way still has the parent that was read there.
bool is_intact(const Task* const* path, int steps, const Task* above) {
  for (int step = steps - 1; step >= 0; --step) {
    // acquire: pairs with the release of `parent` in task_fill(): a walk that has read a reused header sees that the
    // task through which it came there had left it out before (keep_parent()).
    thread_fence(std::memory_order_acquire);
    if (path[step]->parent.load(std::memory_order_relaxed) != above) return false;
    above = path[step];
  }
  return true;
}

// Headers stay while a descendant has not finished, but a finished task may leave its parent out. Then that header may
// be reused under the walk: a header that was reused is still a header. So pointers are read on the way up, and
// verified on the way back; where one has changed, the walk begins again, which each task can cause once.
//
// A walk that may need more steps than are left is not begun. One that may need more than kMostSteps goes through
// finished tasks only, of which few lie in a row: an unfinished one has a thread that is on its way.
Answer descends(const Task* task, Constraint& constraint) {
  int32_t generations = generations_between(task, constraint.innermost);
  if (generations < 1) return Answer::kNo;
  if (generations - 1 > constraint.steps_left && generations - 1 <= kMostSteps) return Answer::kNotNow;
  const Task* above;
  Answer answer;
  int steps;
  do {
    answer = walk(task, constraint, steps, above);
  } while (!is_intact(constraint.path, steps, above));
  constraint.steps_left -= steps;
  return answer;
}

bool belongs_to(const Task* task, const Taskgroup* group) {
  for (const Taskgroup* each = task->taskgroup; each != nullptr; each = each->parent)
    if (each == group) return true;
  return false;
}

} // namespace

const Task* innermost_tied(const Worker* worker) {
  const Task* task = worker->current;
  if (!worker->member->runs_children) return task;
  while (!task->is(kTied)) { // ends at the implicit task, which is tied
    if (task == worker->tasks.innermost_wait.waiter) return worker->tasks.innermost_wait.tied;
    task = task->below();
  }
  return task;
}

// The path of a walk is not on the stack, where a thread that waits may have little left.
static const Task** room_for_path(Worker* worker) {
  if (CHOMP_UNLIKELY(worker->tasks.ancestors == nullptr))
    worker->tasks.ancestors = static_cast<const Task**>(memory_permanent(kMostSteps * sizeof(const Task*)));
  return worker->tasks.ancestors;
}

Constraint constraint_now(Worker* worker, const Member* member, const Taskgroup* waiting_for) {
  Constraint constraint;
  if (CHOMP_UNLIKELY(worker->tasks.importers != 0) && waits_beyond_children(worker->current))
    constraint.importer = worker->current;
  if (!config.task_stealing_constraint) return constraint;
  const Task* task = innermost_tied(worker);
  if (task->is(kImplicit) && member->runs_anything) return constraint;
  if (CHOMP_UNLIKELY(worker->tasks.fibers.blocked_here == worker->current)) return constraint;
  constraint.innermost = task;
  constraint.waiter = worker->current;
  constraint.group = waiting_for;
  if (task->is(kImplicit)) return constraint;
  constraint.path = room_for_path(worker);
  if (constraint.waiter == worker->tasks.innermost_wait.waiter)
    constraint.steps_left = kMostSteps << worker->tasks.refused_lists.longer_looks();
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
  Answer answer = descends(task, constraint);
  if (answer == Answer::kNotNow && constraint.refused != nullptr) constraint.refused->not_sure();
  if (answer == Answer::kNo) constraint.refused_parent = parent;
  return answer == Answer::kYes;
}

} // namespace chomp
