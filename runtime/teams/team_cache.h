// Making, caching and releasing teams. A member keeps the team that it forked last (Member::hot_child); dismissed teams
// wait in a list for any other member. Called by region.cpp and core/worker.cpp.
#pragma once

#include "runtime/core/team.h"

namespace chomp {

/// A team of up to `size` threads for the member: the one it forked last, or a new one. Null if no thread is to be had.
Team* team_for_region(Member* parent, int size, const TeamPlaces& places);

/// The member's cached team of one, for serialised regions; made at its first call.
Team* team_for_serial_region(Member* parent);

/// How many members of the region each domain has, which barriers count by; after the team's size has changed.
void team_count_domains(Team* team);

/// Makes the initial team of a root thread.
Team* team_make_initial(Worker* worker);

/// The thread is a new one that has adopted the record of one that ended: it begins with what the settings say.
void team_renew_initial(Worker* worker);

/// Sends the threads of the teams cached by this member, and below, back to the pool. Called by the member's own
/// thread.
void team_release_cached(Member* member);

/// In the child of fork(), whether or not the calling thread has a team: dismissed teams can be had again.
void team_cache_reset_after_fork();

/// In the child of fork(): the enclosing teams of `member` have no other threads any more.
void team_reset_after_fork(Member* member);

} // namespace chomp
