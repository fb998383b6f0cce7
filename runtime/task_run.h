// Running one task, from its first instruction to its finish: the middle of the hot path.
#pragma once

#include "runtime/cancel.h"
#include "runtime/config.h"
#include "runtime/stack.h"
#include "runtime/task_engine.h"
#include "runtime/team.h"

namespace chomp {

/// Runs the body of `task` on top of the current one, without finishing it.
inline void run_body(Worker* worker, Task* task) {
  TaskPayload* payload = task->payload();
  if (task->is(kTied)) {
    payload->routine(worker->gtid, payload);
    return;
  }
  // Clang compiles an untied task into parts; each but the last hands the task itself to task_spawn(), which sets the
  // flag.
  task->flags |= kInvokerLoops;
  payload->routine(worker->gtid, payload);
  while (task->is(kSelfRequeued)) {
    task->flags &= ~kSelfRequeued;
    payload->routine(worker->gtid, payload);
  }
}

/// Makes `task` the current one of the worker, which then owns its children's local count.
inline void begin_task(Worker* worker, Task* task) {
  task->next = worker->current;
  task->set_first_owner(worker->id);
  worker->current = task;
}

inline void run_task_here(Worker* worker, Member* member, Task* task) {
  Task* below = worker->current;
  begin_task(worker, task);
  uint64_t mark = member->deque.mark;
  member->deque.mark = member->deque.top();
  if (CHOMP_LIKELY(!config.cancellation) || !task_is_cancelled(task, member->team)) run_body(worker, task);
  worker->current = below;
  member->deque.mark = mark;
  finish_task(worker, member, task);
}

/// Runs and finishes a task on the calling worker, on a fresh stack segment if this one is nearly used up.
inline void run_task(Worker* worker, Member* member, Task* task) {
  if (CHOMP_UNLIKELY(stack_is_low(worker)))
    run_task_on_segment(worker, member, task);
  else
    run_task_here(worker, member, task);
}

} // namespace chomp
