// The signal that starts a region, or that dismisses a team: a word per domain (DomainLine::go), which is propagated
// along the tree of domains. Proof: runtime/teams/barriers.md, "Starts and barriers by domain".
#pragma once

#include <cstdint>

#include "runtime/core/team.h"

namespace chomp {

/// How many members the signal asks for; 0: all leave the team.
inline int32_t size_in(uint64_t signal) { return static_cast<int32_t>(signal & ((uint64_t{1} << kGoSizeBits) - 1)); }

/// The epoch of the team's last barrier before the region.
inline uint64_t epoch_in(uint64_t signal) { return signal >> kGoSizeBits; }

/// The primary signals the start of a region of `size` members; 0: the end of the team.
void signal_start(Team* team, int size);

/// Notifies the domains below. The primary does it for domain 0; the first member of another domain as soon as it has
/// seen the signal, also if it takes no part itself.
void propagate_start(Team* team, int domain, uint64_t signal);

} // namespace chomp
