// Light inner regions (CHOMP_NESTED=light). An inner region has as many kernel threads as the threads around it leave
// CPUs, at least its primary's. Its first members are on these, their hosts; the others are light threads
// (wait/light_thread.h), dealt to the hosts in turn. A member that waits lets the next one of its host run, so a
// barrier costs a switch of stacks for each member.
//
//   members of 8 on 3 kernel threads:   0 3 6   1 4 7   2 5
//
// Each host starts its members, and they rest between regions. A member that has come to the region's end waits in the
// ring until a task is exported, which it may have to run (light_wait_for_tasks()).
//
//   after light_await_rest(): all members that the primary hosts rest
#pragma once

#include <cstdint>

namespace chomp {

struct Member;
struct Team;
struct Worker;

/// How many kernel threads a region of `size` members has that the worker forks in `outer`; `size`: none is light.
int light_kernel_threads(const Worker* worker, const Team* outer, int size);

/// Makes up to `count` light threads; fewer if the system refuses. Returns how many. Each runs body(worker) once it is
/// started.
int light_take(int count, Worker** taken, void (*body)(void* worker));

/// Called by member `host` for a region of `size` members: starts those that it hosts.
void light_start_hosted(const Team* team, int host, int size);

/// Called by the primary when the region has completed: waits until the members that it hosts rest.
void light_await_rest(const Team* team);

/// The team has been told to leave. Called by member `host`, for the primary by whoever dismisses the team: waits until
/// those have ended that it hosts, and frees what they had.
void light_end_hosted(const Team* team, int host);

/// Called by a light thread that leaves its team.
void light_ends(Worker* worker);

} // namespace chomp
