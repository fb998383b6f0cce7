// Spawning: the beginning of the hot path. A deferred task goes to the private deque of its creator; beyond a bound it
// runs at once. No locked instruction, fence, lock, system call or malloc in task_spawn() itself.
#include "runtime/task_engine.h"

#include "runtime/base/os_linux.h"
#include "runtime/config.h"
#include "runtime/idle.h"
#include "runtime/publish.h"
#include "runtime/task_priority.h"
#include "runtime/task_run.h"
#include "runtime/taskgroup.h"
#include "runtime/team.h"

namespace chomp {
namespace {

constexpr uint64_t kThrottle = 256;         // tasks a worker has waiting before new ones run at once
constexpr uint32_t kMostInlineNesting = 64; // tasks running inside one another's creation

inline void count_created(Worker* worker, Member* member, Task* task) {
  ++worker->current->local_children;
  // relaxed: single writer; the push that follows releases it, and termination reads it after `finished`.
  member->created.store(member->created.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
  if (CHOMP_UNLIKELY(task->taskgroup != nullptr)) taskgroup_count_created(task->taskgroup, worker, member);
}

// The compiled code itself is the invoker of an undeferred task (begin_if0), and calls it once: the parts that remain
// run inside the call by which the first part hands the task over.
__attribute__((noinline)) void run_rest_undeferred(Worker* worker, Task* task) { run_body(worker, task); }

// An untied task continues: its invoker calls it again.
inline void continue_untied(Worker* worker, Task* task) {
  if (CHOMP_UNLIKELY(!task->is(kInvokerLoops))) return run_rest_undeferred(worker, task);
  task->flags |= kSelfRequeued;
}

void push_growing(Member* member, Task* task) {
  PrivateDeque& deque = member->deque;
  if (deque.top() - deque.base() >= deque.capacity()) deque.grow();
  deque.push_limit = deque.top() + 1;
  bool pushed = deque.push(task);
  CHECK(pushed);
}

// The deque refused: its limit was stale, the bound is reached, or the team is serial.
__attribute__((noinline)) void spawn_slow(Worker* worker, Member* member, Task* task) {
  PrivateDeque& deque = member->deque;
  if (member->team->serial()) return run_task(worker, member, task);
  deque.push_limit = deque.base() + (config.task_throttling ? kThrottle : deque.capacity());
  if (deque.push(task)) return publish_if_hungry(member);
  if (config.task_throttling && worker->inline_nesting < kMostInlineNesting) {
    ++worker->inline_nesting;
    run_task(worker, member, task);
    --worker->inline_nesting;
    return;
  }
  push_growing(member, task);
  publish_if_hungry(member);
}

__attribute__((noinline)) void spawn_unusual(Worker* worker, Member* member, Task* task) {
  task_note_priority(task);
  count_created(worker, member, task);
  if (worker->current->is(kFinal) || member->team->serial()) return run_task(worker, member, task);
  if (task->extra != nullptr && task->extra->priority > 0) return publish_by_priority(member, task);
  if (task->is(kDetachable)) {
    push_growing(member, task); // never run at its creation: its event may be fulfilled by the creator only
    return publish_if_hungry(member);
  }
  if (!member->deque.push(task)) return spawn_slow(worker, member, task);
  publish_if_hungry(member);
}

} // namespace

void task_spawn(Worker* worker, Task* task) {
  if (CHOMP_UNLIKELY(task == worker->current)) return continue_untied(worker, task);
  Member* member = worker->member;
  if (CHOMP_UNLIKELY(task->is(kUnusualAtSpawn))) return spawn_unusual(worker, member, task);
  count_created(worker, member, task);
  if (CHOMP_UNLIKELY(!member->deque.push(task))) return spawn_slow(worker, member, task);
  publish_if_hungry(member);
}

void task_count_created(Worker* worker, Task* task) { count_created(worker, worker->member, task); }

void task_run_now(Worker* worker, Task* task) { run_task(worker, worker->member, task); }

void task_make_ready(Worker* worker, Team* team, Task* task) {
  if (worker->member->team == team && !team->serial()) return publish_one(worker->member, task);
  task->next = task->prev = nullptr;
  publish_to_inbox(team, TaskBatch{task, task, 1});
}

void task_begin_undeferred(Worker* worker, Task* task) {
  task->flags |= kUndeferred | kUncounted;
  begin_task(worker, task);
  // What lies in the deque now are siblings: below the mark for as long as this task runs. `prev` is free meanwhile.
  PrivateDeque& deque = worker->member->deque;
  task->prev = reinterpret_cast<QueueHook*>(deque.mark);
  deque.mark = deque.top();
}

void task_complete_undeferred(Worker* worker, Task* task) {
  worker->current = task->below();
  worker->member->deque.mark = reinterpret_cast<uint64_t>(task->prev);
  finish_task(worker, worker->member, task);
}

} // namespace chomp
