// The sentinel of a domain: the one of its sleepers that wakes from time to time and looks around for all of them. The
// others sleep until somebody wakes them. Called by Idler::park().
// Invariant and proof: runtime/wait/README.md, "The sentinel".
#pragma once

#include <cstdint>

namespace chomp {

struct Member;
struct Worker;

/// Called by a member that is about to sleep, after the heavy fence: it becomes the sentinel if there is none. Returns
/// whether it has.
bool sentinel_take(Member* member);

/// Whether the caller's worker is still parked. If it has been asked to look out, it may call sentinel_take() again.
bool sentinel_still_parked(Member* member);

/// Called by a worker whose brief sleep has ended by itself, before its heavy fence: from now on it may be asked to
/// look out, if `fully` is kParked. `state` is what it slept in. False if somebody has woken it.
bool sentinel_may_be_asked(Worker* worker, uint32_t state, uint32_t fully);

/// Called by a member that has stopped sleeping, and taken back its bit in Team::sleepers. If its domain has no
/// sentinel any more, this asks one of the sleepers there to be it. `was_sentinel`: the member was the sentinel itself.
void sentinel_leave(Member* member, bool was_sentinel);

} // namespace chomp
