// Spawning: a deferred task goes to the private deque of its creator; beyond a bound it runs at once. No locked
// instruction, fence, lock, system call or malloc here; the rest is task_spawn.cpp.
#pragma once

#include "runtime/base/policy.h"
#include "runtime/core/task.h"
#include "runtime/core/team.h"
#include "runtime/core/worker.h"
#include "runtime/stealing/publish.h"
#include "runtime/stealing/run_or_share.h"
#include "runtime/tasks/task_alloc.h"
#include "runtime/tasks/task_run.h"

namespace chomp {

/// __kmpc_omp_task: queues the task, or runs it here (throttle, serial team, final). If an untied task hands over
/// itself, its invoker is asked to call it again.
void task_spawn(Worker* worker, Task* task);

/// Counts the task at its parent, and as exported, without making it available: it waits for something (dependences).
/// send() follows, once.
void task_count_created(Worker* worker, Task* task);

/// The quick form of send(…, Cause::kReleased). The caller calls publish_if_requested() unless its worker pops the task
/// at once.
void task_make_ready_here(Worker* worker, Task* task);

/// The task that is about to be spawned will run before the call returns: it is undeferred.
void task_runs_at_once(Task* task);

/// Runs a counted task here and now (serial teams, if(0) with dependences).
void task_run_now(Worker* worker, Task* task);

/// __kmpc_omp_task_begin_if0 / complete_if0: the caller calls the task's code in between. For tools: the program goes
/// on at `site`, and `frame` is `owner`'s, which will call the task.
/// Each has a quick form, for tasks without certain flags.
void task_begin_undeferred(Worker* worker, Task* task, const void* site = nullptr, const void* frame = nullptr,
                           FrameOwner owner = FrameOwner::kRuntime);
void task_complete_undeferred(Worker* worker, Task* task);
inline constexpr uint32_t kSlowAtUndeferred = kDetachable | kObserved | kRecords | kHasAffinity;
/// The siblings that are in the deque now lie below the floor as long as the task runs. `prev`, which is unused
/// meanwhile, keeps the floor of the task below.
inline void begin_undeferred_quick(Worker* worker, Task* task) {
  make_current(worker, task, worker->current);
  task->prev = reinterpret_cast<QueueHook*>(worker->member->deque.raise_floor());
}
/// Whether begin_undeferred_quickly() may be called in place of task_allocate() and task_begin_undeferred(): for a task
/// without clauses.
inline bool may_begin_quickly(const Worker* worker, size_t payload_bytes) {
  return !worker->current->is(kObserved | kRecords) && has_free_block(worker, payload_bytes, 0);
}
inline Task* begin_undeferred_quickly(Worker* worker, uint32_t flags, size_t payload_bytes, TaskPayload::Entry entry) {
  Task* task =
      Task::of_payload(task_allocate_inline(worker, flags | kCalledByProgram | kUncounted, payload_bytes, 0, entry));
  begin_undeferred_quick(worker, task);
  return task;
}
inline bool completes_quickly(const Task* task) {
  return (task->flags & kSlowAtFinish) == kUncounted && !has_counts(task);
}
inline void end_undeferred(Worker* worker, Task* task) {
  end_task(worker, worker->member, task->below(), reinterpret_cast<uint64_t>(task->prev));
}

/// The deque refused the task: its limit was stale, the bound is reached, or the team is serial.
__attribute__((noinline)) int32_t spawn_slow(Worker* worker, Member* member, Task* task);
/// The task is kSlowAtSpawn: final, detachable, with a priority …
__attribute__((noinline, cold)) int32_t spawn_slow_flags(Worker* worker, Member* member, Task* task, const void* site);
/// An untied task hands over itself: its invoker calls it again. The compiled code itself is the invoker of an
/// undeferred task (begin_if0), and calls it once.
__attribute__((noinline, cold)) int32_t spawn_parts_left(Worker* worker, Task* task);
inline int32_t spawn_next_part(Worker* worker, Task* task) {
  asm volatile(""); // else compilers load the flags before they know that it is no new task, for one instruction more
  if (CHOMP_UNLIKELY(task->is(kCalledByProgram))) return spawn_parts_left(worker, task);
  task->flags |= kSelfRequeued;
  return kCurrentNotQueued;
}
/// A task is in the deque, and somebody is requesting.
__attribute__((noinline, cold)) int32_t spawn_published(Worker* worker, Member* member);

/// Whether a new task of the current one has threadset(omp_pool) and is wanted by free agents. If not it becomes one
/// like any other.
bool may_be_offered(Worker* worker, Task* task);

/// How many tasks a member of the team may have waiting before new ones run at their creation.
uint64_t spawn_bound(const Team* team);

/// Whether recent tasks were shorter than a steal: then the creator of many runs them, as the only member of a
/// team would.
bool creator_runs_short_tasks(Worker* worker);

/// The current task, which has so many unfinished children, has made one, or is about to: its next state.
Throttled creator_made_one(Worker* worker, int64_t children);

/// How many unfinished children a task has; an estimate.
inline int64_t children_of(const Task* task) {
  // relaxed: an estimate. The ends of children take the line away: it is read once.
  int64_t shared = Task::count_in(task->shared_children.load(std::memory_order_relaxed));
  return task->local_children + static_cast<uint32_t>(shared);
}

/// Whether the team's scheduler gets every deferred task when it is made.
bool spawn_deals(const Team* team);

/// What has become of a task that spawn_quick() has counted: it waits in the deque, where perhaps somebody requests it;
/// or the deque refused it.
enum class Spawned : uint8_t { kWaits, kIsRequested, kRefused };
__attribute__((always_inline)) inline Spawned spawn_quick(Worker* worker, Member* member, Task* task) {
  ++worker->current->local_children;
  if (CHOMP_UNLIKELY(!member->deque.push(task))) return Spawned::kRefused;
  return CHOMP_UNLIKELY(somebody_requests(member)) ? Spawned::kIsRequested : Spawned::kWaits;
}

/// task_spawn(), inline; returns what the entry point returns. `site` is where the program goes on (for tools); null in
/// a call of the runtime's own.
__attribute__((always_inline)) inline int32_t task_spawn_inline(Worker* worker, Task* task,
                                                                const void* site = nullptr) {
  Member* member = worker->member;
  if (CHOMP_UNLIKELY(task == worker->current)) return spawn_next_part(worker, task);
  if (CHOMP_UNLIKELY(task->is(kSlowAtSpawn))) return spawn_slow_flags(worker, member, task, site);
  Spawned spawned = spawn_quick(worker, member, task);
  if (CHOMP_UNLIKELY(spawned == Spawned::kRefused)) return spawn_slow(worker, member, task);
  if (CHOMP_UNLIKELY(spawned == Spawned::kIsRequested)) return spawn_published(worker, member);
  return kCurrentNotQueued;
}

/// What a task may wait for that is not above it on its creator's stack: a sibling, an event, or whoever must take it.
/// A task of such a kind is never run for being short.
inline constexpr uint32_t kMayWait = kDetachable | kHasAffinity | kPool | kRecords;
static_assert(kSlowAtSpawn == (kMayWait | kFinal | kPrioritySpecified | kObserved | kOwnIcvs),
              "each is one or the other");

/// What run_or_share() has to know of tasks with these flags that the current one makes, be it one, or all of a replay.
/// `state` is their creator's, or what it would be. A caller that knows that nobody else could run them adds that.
__attribute__((always_inline)) inline NewTask new_tasks(const Worker* worker, uint32_t flags, Throttled state) {
  const bool runs_short = CHOMP_UNLIKELY(state == Throttled::kRunsThem);
  return {.included = worker->current->is(kIncludes) || (flags & kOwnIcvs) != 0,
          .may_wait = (flags & kMayWait) != 0,
          .runs_short = runs_short,
          .asked_for = runs_short && somebody_asks(worker->member),
          .has_room = true};
}

/// The same for one of them, or for the pattern of a taskloop.
__attribute__((always_inline)) inline NewTask new_task(const Worker* worker, const Task* task, Throttled state) {
  NewTask made = new_tasks(worker, task->flags, state);
  made.included |= runs_at_once(task);
  return made;
}

/// A plain task that waits in the deque if at all, on a stack that is not low. In a team of one the bound is 0.
inline NewTask new_plain_task(const Member* member, bool has_room) {
  return {.has_room = has_room, .unbounded = member->deque.bound() > policy::kThrottle};
}

/// Whether a plain task made now would run at once. Asked when the deque is full. GCC's code hands over body and
/// arguments together. So its entry points can ask before they make the task, and save the copy of the arguments.
inline bool runs_at_creation(Worker* worker) {
  Member* member = worker->member;
  if (member->deals || must_run_slow(worker) || !runs_here(new_plain_task(member, member->deque.make_room())))
    return false;
  publish_if_requested(member);
  return true;
}

/// Whether tasks that are made now may have priorities: not if all are zero (OMP_MAX_TASK_PRIORITY), nor if each runs
/// when it is made, since the team has one member.
inline bool priorities_count(const Worker* worker) {
  return config.max_task_priority > 0 && !worker->member->team->serial();
}

} // namespace chomp
