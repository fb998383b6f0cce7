// Light inner regions (CHOMP_NESTED=light). If the threads around an inner region take all CPUs, its members are light
// threads (wait/light_thread.h) on the kernel thread of its primary. A member that waits lets the next one run, so a
// barrier costs a switch of stacks for each member. Called by region.cpp and team_cache.cpp.
//
// Members rest between regions. A member that has come to the region's end rests too, unless tasks may be left that it
// could have to run: once the region has exported a task, whoever waits starts those that rest again (light_recall()).
//
//   after light_await_rest(): all members but the primary rest
#pragma once

#include <cstdint>

namespace chomp {

struct Member;
struct Team;
struct Worker;

/// Whether the members of a region that the worker forks in `outer` are light.
bool light_serves(const Worker* worker, const Team* outer);

/// Makes up to `count` light threads; fewer if the system refuses. Returns how many. Each runs body(worker) once it is
/// started.
int light_take(int count, Worker** taken, void (*body)(void* worker));

/// Starts the members of a region, or with size 0 lets all threads of the team end. Called by the primary, or by
/// whoever dismisses the team.
void light_signal(Team* team, int size);

/// Called by the primary when the region has completed: waits until all other members rest.
void light_await_rest(Team* team);

/// After light_signal(team, 0): waits until all have ended, and frees what they had.
void light_end_team(Team* team);

/// Called by a light thread that leaves its team.
void light_ends(Worker* worker);

} // namespace chomp
