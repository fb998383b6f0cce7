// The task scheduling constraint (OpenMP 5.2, 12.9): a tied task may start on a thread only if it descends from every tied
// task suspended there, those suspended in a barrier excepted. That is: from the innermost one.
#pragma once

#include "runtime/task.h"

namespace chomp {

struct Member;
struct Worker;

struct Constraint {
  Task* innermost = nullptr;    // the innermost suspended tied task; null: anything may run
  Taskgroup* group = nullptr;   // the group that it waits for, if it waits at the end of one
};

/// The constraint on what may run on top of the current task. The waiting group, if any, is that of the current task.
Constraint constraint_now(const Worker* worker, const Member* member, Taskgroup* waiting_for);

/// Eligible::may_run for a Constraint as context. The task must be unable to finish meanwhile: queued under a lock, or ours.
bool constraint_allows(void* constraint, QueueHook* task);

inline Eligible eligible_under(Constraint& constraint) { return Eligible{constraint_allows, &constraint}; }

} // namespace chomp
