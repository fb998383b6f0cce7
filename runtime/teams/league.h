// teams constructs on the host (OpenMP 5.2, 10.2), and questions about nested regions. The teams of a league run one
// after the other on the encountering thread, each with all the threads for its parallel regions. They may, since the
// specification forbids programs to synchronise teams with one another.
#pragma once

#include <cstdint>

#include "runtime/core/team.h"

namespace chomp {

struct Worker;

/// What the clauses of the next teams construct ask for; 0: nothing.
void league_request(Worker* worker, int32_t lowest_teams, int32_t highest_teams, int32_t thread_limit);

/// Runs the region once per team: microtask(gtid, tid, captured…).
void league_run(Worker* worker, Microtask microtask, int argc, void** argv);

/// The same, for compilers that make the loop over the teams themselves, with a league_request() before each call. The
/// calling thread leaves a team (unless it is the first call) and enters the next one. False: there is none left, and
/// the thread is where it was before the first call.
bool league_next(Worker* worker, bool first);

/// Lowers thread-limit-var of the current task; not positive: nothing.
void thread_limit_change(Worker* worker, int32_t limit);

/// The member of the calling thread, or of its ancestor, in the team at nesting level `level`; null if there is no such
/// level.
const Member* member_at_level(const Worker* worker, int level);

} // namespace chomp
