// Spawning: a deferred task goes to the private deque of its creator; beyond a bound it runs at once. No locked
// instruction, fence, lock, system call or malloc here; the rest is task_spawn.cpp.
#pragma once

#include "runtime/tasks/publish.h"
#include "runtime/tasks/task_engine.h"
#include "runtime/core/team.h"

namespace chomp {

/// The deque refused: its limit was stale, the bound is reached, or the team is serial.
__attribute__((noinline)) int32_t spawn_slow(Worker* worker, Member* member, Task* task);
/// Final, detachable, with a priority …
__attribute__((noinline, cold)) int32_t spawn_slow_flags(Worker* worker, Member* member, Task* task);
/// An undeferred untied task continues, inside the compiled code's one call of it.
__attribute__((noinline, cold)) int32_t run_rest_undeferred(Worker* worker, Task* task);
/// Somebody is hungry.
__attribute__((noinline, cold)) int32_t spawn_published(Member* member);

/// How many tasks a member of the team may have waiting before new ones run at their creation.
uint64_t spawn_bound(const Team* team);

/// Whether the team's scheduler gets every deferred task when it is made.
bool spawn_deals(const Team* team);

/// task_spawn(), inline.
inline int32_t spawn(Worker* worker, Task* task) {
  Member* member = worker->member;
  if (CHOMP_UNLIKELY(task == worker->current)) { // an untied task: its invoker calls it again
    if (CHOMP_UNLIKELY(task->is(kCalledByProgram))) return run_rest_undeferred(worker, task);
    task->flags |= kSelfRequeued;
    return kCurrentNotQueued;
  }
  if (CHOMP_UNLIKELY(task->is(kSlowAtSpawn))) return spawn_slow_flags(worker, member, task);
  ++worker->current->local_children;
  if (CHOMP_UNLIKELY(!member->deque.push(task))) return spawn_slow(worker, member, task);
  if (CHOMP_UNLIKELY(somebody_hungry(member))) return spawn_published(member);
  return kCurrentNotQueued;
}

__attribute__((noinline)) bool runs_at_creation_slow(Worker* worker, Member* member);

/// Whether a plain task made now would run at once. Who can ask before making it (GCC's code hands over body and
/// arguments together) saves the task its copy of the arguments.
inline bool runs_at_creation(Worker* worker) {
  Member* member = worker->member;
  return CHOMP_UNLIKELY(member->deque.full()) && runs_at_creation_slow(worker, member);
}

} // namespace chomp
