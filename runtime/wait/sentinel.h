// The sentinel of a domain: the one of its sleepers that wakes from time to time and looks around for all of them. The
// others sleep until somebody wakes them. Called by Idler::park().
// Invariant and proof: runtime/wait/README.md, "The sentinel".
#pragma once

#include <cstdint>

namespace chomp {

struct Member;

/// Values of WaitState::parked.
inline constexpr uint32_t kAwake = 0, kParked = 1;
inline constexpr uint32_t kAskedToBeSentinel = 2; // parked, and its domain has lost its sentinel

/// Called by a member that is about to sleep, after the heavy fence: it becomes the sentinel if there is none. Returns
/// whether it has.
bool sentinel_take(Member* member);

/// Whether the caller's worker is still parked. If it has been asked to look out, it may call sentinel_take() again.
bool sentinel_still_parked(Member* member);

/// Called by a member that has stopped sleeping, and taken back its bit in Team::sleepers. If its domain has no
/// sentinel any more, this asks one of the sleepers there to be it. `was_sentinel`: the member was the sentinel itself.
void sentinel_leave(Member* member, bool was_sentinel);

} // namespace chomp
