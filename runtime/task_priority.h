// priority(…) of a task (OpenMP 5.2, 12.4). The compiler stores the value in the payload after it has allocated the
// task.
#pragma once

#include "runtime/config.h"
#include "runtime/task.h"

namespace chomp {

/// Copies the priority to where the engine looks, or forgets that there is one while OMP_MAX_TASK_PRIORITY is 0, as it
/// is by default. Called before the task is spawned; again, without effect, when an untied task hands over itself.
__attribute__((noinline, cold)) inline void task_note_priority_slow(Task* task) {
  int32_t priority = task->payload()->data2.priority;
  if (priority > config.max_task_priority) priority = config.max_task_priority;
  if (priority > 0)
    task_extra(task)->priority = priority;
  else
    task->flags &= ~kPrioritySpecified;
}

inline void task_note_priority(Task* task) {
  if (CHOMP_UNLIKELY(task->is(kPrioritySpecified))) task_note_priority_slow(task);
}

} // namespace chomp
