// The slow half of spawning (task_spawn.h), and tasks that become available otherwise: released, undeferred.
#include "runtime/task_spawn.h"

#include "runtime/config.h"
#include "runtime/idle.h"
#include "runtime/task_priority.h"
#include "runtime/task_run.h"
#include "runtime/taskgroup.h"

namespace chomp {
namespace {

constexpr uint64_t kThrottle = 256;         // tasks a worker has waiting before new ones run at once
constexpr uint32_t kMostInlineNesting = 64; // tasks running inside one another's creation

void push_growing(Member* member, Task* task) {
  PrivateDeque& deque = member->deque;
  if (deque.size() >= deque.capacity()) deque.grow();
  deque.allow_waiting(deque.capacity());
  bool pushed = deque.push(task);
  CHECK(pushed);
  deque.allow_waiting(config.task_throttling ? kThrottle : deque.capacity());
  publish_if_hungry(member);
}

void run_at_creation(Worker* worker, Member* member, Task* task) {
  ++worker->inline_nesting;
  run_task(worker, member, task);
  --worker->inline_nesting;
}

} // namespace

int32_t spawn_slow(Worker* worker, Member* member, Task* task) {
  if (member->team->serial()) {
    run_task(worker, member, task);
    return current_not_queued();
  }
  publish_if_hungry(member);
  member->deque.allow_waiting(config.task_throttling ? kThrottle : member->deque.capacity());
  if (member->deque.push(task))
    publish_if_hungry(member);
  else if (config.task_throttling && worker->inline_nesting < kMostInlineNesting)
    run_at_creation(worker, member, task);
  else
    push_growing(member, task);
  return current_not_queued();
}

int32_t spawn_unusual(Worker* worker, Member* member, Task* task) {
  task_note_priority(task);
  ++worker->current->local_children;
  if (task->is(kDetachable) || (task->extra != nullptr && task->extra->priority > 0)) count_exported(member, task);
  if (worker->current->is(kFinal) || member->team->serial())
    run_task(worker, member, task);
  else if (task->extra != nullptr && task->extra->priority > 0)
    publish_by_priority(member, task);
  else if (task->is(kDetachable))
    push_growing(member, task); // never run at its creation: its event may be fulfilled by the creator only
  else if (!member->deque.push(task))
    return spawn_slow(worker, member, task);
  else
    publish_if_hungry(member);
  return current_not_queued();
}

// The compiled code itself is the invoker of an undeferred task (begin_if0), and calls it once: the parts that remain
// run inside the call by which the first part hands the task over.
int32_t run_rest_undeferred(Worker* worker, Task* task) {
  task->flags &= ~kCalledByProgram;
  run_body(worker, task);
  return current_not_queued();
}

int32_t spawn_published(Member* member) {
  publish_oldest(member);
  return current_not_queued();
}

void task_spawn(Worker* worker, Task* task) { spawn(worker, task); }

void task_count_created(Worker* worker, Task* task) {
  ++worker->current->local_children;
  count_exported(worker->member, task);
}

void task_run_now(Worker* worker, Task* task) { run_task(worker, worker->member, task); }

void task_make_ready(Worker* worker, Team* team, Task* task) {
  if (worker->member->team == team && !team->serial()) return publish_one(worker->member, task);
  task->next = task->prev = nullptr;
  publish_to_inbox(team, TaskBatch{task, task, 1});
}

void task_begin_undeferred(Worker* worker, Task* task) {
  task->flags |= kCalledByProgram | kUncounted;
  begin_task(worker, task, worker->current);
  // What lies in the deque now are siblings: below the mark for as long as this task runs. `prev` is free meanwhile.
  PrivateDeque& deque = worker->member->deque;
  task->prev = reinterpret_cast<QueueHook*>(deque.mark);
  deque.mark = deque.top();
}

void task_complete_undeferred(Worker* worker, Task* task) {
  worker->current = task->below();
  worker->member->deque.mark = reinterpret_cast<uint64_t>(task->prev);
  if (CHOMP_UNLIKELY((task->flags & kUnusualAtFinish) != kUncounted || has_counts(task)))
    return finish_task(worker, worker->member, task);
  free_task_made_here(worker, task);
}

} // namespace chomp
