// Running one task, from its first instruction to its finish: the middle of the hot path.
#pragma once

#include "runtime/core/stack.h"
#include "runtime/tasks/task_finish.h"

namespace chomp {

/// Clang compiles an untied task into parts; each but the last hands the task itself to task_spawn(), which sets the
/// flag: whoever called that part calls the next one.
inline bool untied_task_goes_on(Task* task) {
  if (!task->is(kSelfRequeued)) return false;
  task->flags &= ~kSelfRequeued;
  return true;
}

/// Runs the body of `task` on top of the current one, without finishing it.
inline void run_body(Worker* worker, Task* task) {
  TaskPayload* payload = task->payload();
  do payload->routine(worker->gtid, payload);
  while (untied_task_goes_on(task));
}

/// Makes `task` the current one of the worker, which owns its children's local count: it made the task, or has taken it
/// (take_over()).
inline void begin_task(Worker* worker, Task* task, Task* below) {
  DCHECK(task->owner() == worker->id);
  task->next = below;
  worker->current = task;
}

/// The task below is the current one again.
inline void end_task(Worker* worker, Member* member, Task* below, uint64_t mark) {
  worker->current = below;
  member->deque.mark = mark;
}

/// A task that another worker may have made will run here.
inline void take_over(const Worker* worker, Task* task) {
  if (task->owner() != worker->id) task->set_owner(worker->id);
}

/// The body of a task that is kUnusualAtFinish has returned: the rest of run_task_here().
__attribute__((noinline)) void finish_above(Worker* worker, Member* member, Task* task, Task* below, uint64_t mark);

/// Runs and finishes a task on top of `below`, whose mark is `mark`, on this stack. Inlined into every loop that runs
/// tasks: a call would save and restore all registers once more.
__attribute__((always_inline)) inline void run_task_here(Worker* worker, Member* member, Task* task, Task* below,
                                                         uint64_t mark) {
  begin_task(worker, task, below);
  member->deque.mark = member->deque.top();
  TaskPayload* payload = task->payload();
  for (;;) {
    payload->routine(worker->gtid, payload);
    if (CHOMP_LIKELY(!task->is(kSelfRequeued | kUnusualAtFinish))) break; // one look for both
    if (untied_task_goes_on(task)) continue;
    return finish_above(worker, member, task, below, mark);
  }
  end_task(worker, member, below, mark);
  finish_task_usual(worker, task);
}

/// The same when must_be_careful(): the stack is nearly used up (a fresh segment), or tasks may have been cancelled, or
/// are observed.
__attribute__((noinline)) void run_task_carefully(Worker* worker, Member* member, Task* task);

inline bool must_be_careful(const Worker* worker) { return stack_pointer() < worker->run_watermark; }

/// Runs and finishes a task on top of the current one.
__attribute__((always_inline)) inline void run_task(Worker* worker, Member* member, Task* task) {
  if (CHOMP_UNLIKELY(must_be_careful(worker))) return run_task_carefully(worker, member, task);
  run_task_here(worker, member, task, worker->current, member->deque.mark);
}

} // namespace chomp
