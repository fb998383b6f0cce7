// Whether the creator of a task runs it itself or shares it with its team. run_or_share() decides it, from the task and
// from what is known where it is made: for tasks of every kind, and for the replay of a graph or a taskloop as a whole.
// new_task() says what is known of the task (tasks/task_spawn.h). Nothing else decides it: task_spawn_inline() pushes a
// plain task at once, since a deque with room takes it. destination_of() then says where a shared task goes.
//
// The creator's state is one: Throttled, in its extra block. throttled_next() is the only transition, and a wait for
// the children the only reset (end_throttling()).
#pragma once

#include <cstdint>

#include "runtime/base/policy.h"
#include "runtime/core/task.h"

namespace chomp {

enum class RunOrShare : uint8_t { kRun, kShare };

/// What the decision depends on.
struct NewTask {
  bool included = false;     // its construct ends with it: it is undeferred, or the child of a final task
  bool alone = false;        // nobody else could run it: the team has one thread
  bool may_wait = false;     // it may have to wait for a sibling, an event, or whoever must take it
  bool runs_short = false;   // Throttled::kRunsThem
  bool asked_for = false;    // somebody requests, and is to be answered
  bool has_room = false;     // where it would wait
  bool unbounded = false;    // the user wants no bound (KMP_ENABLE_TASK_THROTTLING)
  bool stack_is_low = false; // the stack bounds how deep tasks nest that run at their creation
};

constexpr RunOrShare run_or_share(const NewTask& task) {
  if (task.included || task.alone) return RunOrShare::kRun;
  if (task.runs_short && !task.asked_for && !task.may_wait) return RunOrShare::kRun;
  return task.has_room || task.unbounded || task.stack_is_low ? RunOrShare::kShare : RunOrShare::kRun;
}

constexpr bool runs_here(const NewTask& task) { return run_or_share(task) == RunOrShare::kRun; }

/// The creator's next state. `are_short`: creator_runs_short_tasks(). `children`: its unfinished ones; those that a
/// replay will make.
constexpr Throttled throttled_next(Throttled state, bool are_short, int64_t children) {
  if (!are_short) return state == Throttled::kRunsThem ? Throttled::kYes : state;
  bool many = state != Throttled::kNo || children >= static_cast<int64_t>(policy::kThrottle);
  return many ? Throttled::kRunsThem : Throttled::kNo;
}

inline Throttled throttled(const Task* creator) {
  return creator->extra != nullptr ? creator->extra->throttled : Throttled::kNo;
}

/// The creator waits for its children. Those that it makes afterwards are deferred again, until they are many.
inline void end_throttling(Task* creator) {
  if (CHOMP_UNLIKELY(creator->extra != nullptr)) creator->extra->throttled = Throttled::kNo;
}

} // namespace chomp
