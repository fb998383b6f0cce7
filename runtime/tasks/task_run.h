// Running one task, from its first instruction to its finish: the middle of the hot path.
#pragma once

#include "runtime/stacks/stack.h"
#include "runtime/tasks/destination.h"
#include "runtime/tasks/task_finish.h"

namespace chomp {

/// Clang compiles an untied task into parts. Each but the last hands the task itself to task_spawn(), which sets a
/// flag. Then the caller of that part calls the next one, or gives it to a queue (gives_way()).
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

/// Makes `task` the worker's current one. The worker owns the task's local_children: it has made the task, or taken it
/// over (take_over()).
inline void make_current(Worker* worker, Task* task, Task* below) {
  DCHECK(task->owner() == worker->id && !task->queued());
  task->next = below;
  worker->current = task;
}

/// The same, on top of all that the deque holds; `top` is the deque's.
inline void begin_task(Worker* worker, Member* member, Task* task, Task* below, uint64_t top) {
  make_current(worker, task, below);
  member->deque.raise_floor(top);
}

/// Whether the parent of a running task lies right below it on the stack, and has to leave this deque, or to arrive at
/// a barrier, later than the task ends.
inline bool hangs_below(const Member* member, const Task* task) {
  const Task* below = task->below();
  // relaxed: a running task's parent does not change.
  return task->parent.load(std::memory_order_relaxed) == below && !(below->is(kImplicit) && member->runs_anything);
}

/// The task below is the current one again. If the current one is exported, leave_deque() comes first.
inline void end_task(Worker* worker, Member* member, Task* below, uint64_t floor) {
  DCHECK(worker->current == below || !worker->current->is(kExported) || hangs_below(member, worker->current) ||
         member->deque.left_in_order());
  worker->current = below;
  member->deque.restore_floor(floor);
}

/// The last part of an untied task has ended with a taskyield. Whether the next one goes to a queue: the caller of the
/// parts may itself be what the task waits for, by a taskyield of its own or because it has yet to make a task.
bool gives_way(Worker* worker, Task* task);
/// Takes the next part there; the task below is the current one again.
__attribute__((noinline, cold)) void give_way(Worker* worker, Member* member, Task* task, Task* below, uint64_t floor);

/// Makes the worker the owner of a task that it will run and that another one may have made.
inline void take_over(const Worker* worker, Task* task) {
  if (task->owner() != worker->id) task->set_owner(worker->id);
}

/// The current task, whose floor is `floor`, is about to leave this deque. The one place that decides what becomes of
/// the tasks that it leaves there (leftovers_of()).
void leave_deque(Worker* worker, Member* member, Task* task, Leaving why, uint64_t floor);
inline void leave_deque(Worker* worker, Member* member, Task* task, Leaving why) {
  leave_deque(worker, member, task, why, member->deque.floor());
}

/// The body of a task that is kSlowAtFinish has returned: the rest of run_task_here().
__attribute__((noinline)) void finish_above(Worker* worker, Member* member, Task* task, Task* below, uint64_t floor);

/// The rest of run_task_here() for code in programs (wait/inlined.h), which has run the first parts of the task: there
/// are more, or its end is not the usual one.
void run_rest(Worker* worker, Member* member, Task* task, Task* below, uint64_t floor);

/// Runs and finishes a task on top of `below`, whose floor is `floor`, on this stack. `top` is that of the deque.
/// Inlined into every loop that runs tasks: a call would save and restore all registers once more.
__attribute__((always_inline)) inline void run_task_here(Worker* worker, Member* member, Task* task, Task* below,
                                                         uint64_t floor, uint64_t top) {
  begin_task(worker, member, task, below, top);
  TaskPayload* payload = task->payload();
  for (;;) {
    payload->routine(worker->gtid, payload);
    if (CHOMP_LIKELY(!task->is(kSelfRequeued | kSlowAtFinish))) break; // one test for both
    if (untied_task_goes_on(task)) {
      if (CHOMP_LIKELY(worker->tasks.yielded != task) || !gives_way(worker, task)) continue;
      return give_way(worker, member, task, below, floor);
    }
    return finish_above(worker, member, task, below, floor);
  }
  end_task(worker, member, below, floor);
  finish_task_quick(worker, task);
}

__attribute__((always_inline)) inline void run_task_here(Worker* worker, Member* member, Task* task, Task* below,
                                                         uint64_t floor) {
  run_task_here(worker, member, task, below, floor, member->deque.top());
}

/// One part of the body, from a frame that is noted for tools; and all parts.
__attribute__((noinline)) void run_part_in_frame(Worker* worker, Task* task);
void run_body_in_frame(Worker* worker, Task* task);
/// Notifies observers that an observed task begins, or goes on with its next part; and that its body has returned.
void begin_observed(Worker* worker, Task* task);
void end_observed(Worker* worker, Task* task);
/// run_task_here() for a task that is observed, or on top of one that may stop: the floor below is in `prev`.
__attribute__((noinline, cold)) void run_task_noted(Worker* worker, Member* member, Task* task);

/// run_task() when must_run_slow(): the stack is nearly used up (then the task runs on a fresh segment), or tasks may
/// have been cancelled, have priorities, or are observed.
__attribute__((noinline)) void run_task_slow(Worker* worker, Member* member, Task* task);
/// The same for run_undeferred().
__attribute__((noinline)) void run_undeferred_slow(Worker* worker, Member* member, Task* task);

inline bool must_run_slow(const Worker* worker) {
#if defined(__x86_64__) && !defined(CHOMP_VIRTUAL) && !__has_feature(thread_sanitizer)
  bool below; // of an atomic load and the stack pointer the compiler makes three instructions
  asm("cmp %1, %%rsp" : "=@ccb"(below) : "m"(worker->run_watermark));
  return below;
#else
  // relaxed: the worker's own, but for the first task of the program that stops (stack_watch_all_workers()).
  return stack_pointer() < worker->run_watermark.load(std::memory_order_relaxed);
#endif
}

/// Runs and finishes a task on top of the current one; or, if there is a more urgent one, that. Then `task` goes back
/// into a queue: a task that has not begun is in a queue while another one runs. The caller will look for tasks again.
__attribute__((always_inline)) inline void run_task(Worker* worker, Member* member, Task* task) {
  if (CHOMP_UNLIKELY(must_run_slow(worker))) return run_task_slow(worker, member, task);
  run_task_here(worker, member, task, worker->current, member->deque.floor());
}

/// Runs and finishes this very task, for which the current one waits.
inline void run_undeferred(Worker* worker, Member* member, Task* task) {
  if (CHOMP_UNLIKELY(must_run_slow(worker))) return run_undeferred_slow(worker, member, task);
  run_task_here(worker, member, task, worker->current, member->deque.floor());
}

} // namespace chomp
