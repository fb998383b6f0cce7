// The watch of a domain. In a team with more threads than CPUs only one sleeper of each domain wakes from time to time,
// and looks around for all of them: the watcher. The others sleep until somebody wakes them. Called by Idler::park().
// Invariant and proof: runtime/idle/README.md, "The watcher".
#pragma once

#include <cstdint>

namespace chomp {

struct Member;

/// Values of Worker::parked.
inline constexpr uint32_t kAwake = 0, kParked = 1;
inline constexpr uint32_t kAskedToWatch = 2; // parked, and its domain has lost its watcher

/// A member that is about to sleep, after the heavy fence: it becomes the watcher if there is none. Returns whether it
/// has.
bool watch_take(Member* member);

/// Whether the caller's worker is still parked. If it has been asked to watch, it may call watch_take() again.
bool watch_still_parked(Member* member);

/// A member has stopped sleeping, and taken back its bit in Team::sleepers: if its domain has no watcher any more, one
/// of the sleepers there is asked to be. `watching`: it was the watcher itself.
void watch_leave(Member* member, bool watching);

} // namespace chomp
