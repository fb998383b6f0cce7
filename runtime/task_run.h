// Running one task, from its first instruction to its finish: the middle of the hot path.
#pragma once

#include "runtime/stack.h"
#include "runtime/task_finish.h"

namespace chomp {

/// Clang compiles an untied task into parts; each but the last hands the task itself to task_spawn(), which sets the
/// flag: whoever called that part calls the next one.
inline bool untied_task_goes_on(Task* task) {
  if (CHOMP_LIKELY(!task->is(kSelfRequeued))) return false;
  task->flags &= ~kSelfRequeued;
  return true;
}

/// Runs the body of `task` on top of the current one, without finishing it.
inline void run_body(Worker* worker, Task* task) {
  TaskPayload* payload = task->payload();
  do payload->routine(worker->gtid, payload);
  while (untied_task_goes_on(task));
}

/// Makes `task` the current one of the worker, which then owns its children's local count.
inline void begin_task(Worker* worker, Task* task) {
  task->next = worker->current;
  if (CHOMP_UNLIKELY(task->owner() != worker->id)) task->set_owner(worker->id);
  worker->current = task;
}

/// Runs and finishes a task on the calling worker, on this stack. Inlined into every loop that runs tasks: a call would
/// save and restore all registers once more.
__attribute__((always_inline)) inline void run_task_here(Worker* worker, Member* member, Task* task) {
  Task* below = worker->current;
  begin_task(worker, task);
  uint64_t mark = member->deque.mark;
  member->deque.mark = member->deque.top();
  run_body(worker, task);
  worker->current = below;
  member->deque.mark = mark;
  finish_task(worker, member, task);
}

/// The same when the stack is nearly used up (a fresh segment), or tasks may have been cancelled.
__attribute__((noinline)) void run_task_carefully(Worker* worker, Member* member, Task* task);

/// Runs and finishes a task on the calling worker.
__attribute__((always_inline)) inline void run_task(Worker* worker, Member* member, Task* task) {
  if (CHOMP_UNLIKELY(stack_pointer() < worker->run_watermark)) return run_task_carefully(worker, member, task);
  run_task_here(worker, member, task);
}

} // namespace chomp
