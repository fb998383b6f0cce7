// priority(…) of a task (OpenMP 5.2, 12.4). The compiler stores the value in the payload after it has allocated the
// task, and there it stays.
#pragma once

#include "runtime/config/config.h"
#include "runtime/core/task.h"

namespace chomp {

/// At most OMP_MAX_TASK_PRIORITY, which is 0 by default; 0 also if the task has no such clause.
inline int32_t task_priority(Task* task) {
  if (CHOMP_LIKELY(!task->is(kPrioritySpecified))) return 0;
  int32_t priority = task->payload()->data2.priority;
  return priority < config.max_task_priority ? priority : config.max_task_priority;
}

} // namespace chomp
