// Barriers: the explicit one, the end of a region, and the termination of a team's tasks. Proof:
// runtime/teams/barriers.md, "Termination".
#pragma once

#include <cstdint>

#include "runtime/core/team.h"
#include "runtime/core/worker.h"
#include "runtime/teams/arrival.h"
#include "runtime/wait/work_loop.h"

namespace chomp {

/// A barrier region (OpenMP 5.2, 15.3.1): all members arrive, all tasks of the team finish, all go on.
void barrier_wait(Worker* worker);

/// The same for a team of one thread that has run all tasks when they were made, and that nobody observes; else false.
inline bool barrier_passed(Worker* worker) {
  Member* member = worker->member;
  if (!member->team->serial() || member->team->counts.has_exported() || CHOMP_UNLIKELY(worker->current->is(kObserved)))
    return false;
  forget_counts(&member->implicit_task);
  return true;
}

/// The barrier of a reduction, to which each member brings partial results. Returns true to the primary only, when the
/// results of all have been combined into its own. The primary puts them where the program wants them, and opens the
/// barrier by barrier_combined(). The others return when it is open.
bool barrier_combine(Worker* worker, void* partial, CombineFunction combine);
void barrier_combined(Worker* worker);

/// A barrier of those members of a cancelled region that are left: a member that has called barrier_leave_rest() counts
/// as arrived until the region ends. Each member calls that once, before it joins the others. Tasks need not finish.
void barrier_wait_rest(Worker* worker);
void barrier_leave_rest(Worker* worker);

/// The implicit barrier at the end of a region: the primary returns when all have arrived and all tasks have finished.
void barrier_join_primary(Worker* worker, Member* member);
void barrier_join_arrive(Worker* worker, Member* member);

/// A pool thread waits for the next start signal of its team, and until then runs tasks of the region that it has left.
void barrier_wait_for_start(Worker* worker, Member* member);

/// Opens the barrier or ends the join if all arrived and all tasks finished. Called by members without work.
void barrier_try_complete(Member* member, uint64_t epoch, bool join);

} // namespace chomp
