// Making, caching and releasing teams. A member keeps the team that it forked last (Member::hot_child); dismissed teams
// wait in a list for any other member. When a thread of the program ends, its hot team is kept, with its threads, for
// the next one that asks for as many. A thread that needs threads recalls kept teams.
#pragma once

#include "runtime/core/team.h"

namespace chomp {

/// A team of up to `size` threads for the member: the one it forked last, or a new one. Null if there is no thread to
/// get.
Team* team_for_region(Member* parent, int size, const TeamPlaces& places);

/// The same of a team of which only so many threads are kernel threads (light_team.h).
Team* team_for_light_region(Member* parent, int size, int kernel_threads, const TeamPlaces& places);

/// The member's cached team of one, for serialised regions; made at its first call.
Team* team_for_serial_region(Member* parent);

/// Notes which members and domains take part in the region; barriers count by that. Called after its size has changed.
void team_count_members(Team* team);

/// Makes the state of the team's scheduler; in the child of fork() once more.
void team_make_scheduler_state(Team* team);

/// Makes the team that a thread has as a free agent; returns its member. It counts as a team of two, so that nothing
/// takes it for a serial one, in which tasks run when they are made; the second member has no thread, and no task.
Member* team_make_for_agent(Worker* worker, const Scheduler* scheduler);

/// Makes the initial team of a root thread.
Team* team_make_initial(Worker* worker);

/// Called for a new thread that has adopted the record of one that ended: it begins with what the settings say.
void team_renew_initial(Worker* worker);

/// Sends the threads of the teams cached by this member, and below, back to the pool. Called by the member's own
/// thread.
void team_release_cached(Member* member);

/// The same for a thread of the program that ends outside of regions, but its hot team is kept.
void team_leave_behind(Member* member);

/// Sends the threads of kept teams to the pool, at least `threads` of them if there are. Waits until these are there.
/// If no team was kept, waits for those that others have sent, and returns false. The caller is no thread of a kept
/// team.
bool team_recall_kept(int threads);

/// Sends the threads of all kept teams to the pool. The caller may be one of them, and does not wait.
void team_end_kept();

/// Called in the child of fork(), whether or not the calling thread has a team: makes dismissed teams available again.
void team_cache_reset_after_fork();

/// Called in the child of fork(): the calling thread's teams have no other threads any more, and no free agents. A team
/// of one that offers tasks to agents forgets its tasks (after_fork.cpp). Returns whether the thread's initial team has
/// others that have not ended.
bool team_reset_after_fork(Worker* worker);

} // namespace chomp
