// The tree of a team's domains. Along it start signals (start_signal.cpp) and the opening of barriers (barrier.cpp) are
// propagated, and members are counted as they arrive (arrival.cpp). Domain 0, the primary's, is the root. A domain's
// number, written to the base of the fan-out, says where it is in the tree: its parent is the number without its last
// digit that is not zero.
//
//     0 → 16 32 48 …, 4 8 12, 1 2 3      4 → 5 6 7      16 → 20 24 28, 17 18 19      20 → 21 22 23
//
// A parent's number is smaller than its children's, and a team's first members are in the domains of the smallest
// numbers (team_cache.cpp, shape_team()). So the domains that a region uses, 0 … n - 1, are a tree themselves, of depth
// log n. Subtrees are ranges of numbers: neighbours in the machine notify one another, and distant domains are notified
// first. Why four, and what it costs: runtime/teams/barriers.md, "Starts and barriers by domain".
#pragma once

#include <bit>

namespace chomp {

inline constexpr int kBitsOfFanOut = 2;

/// The domain that notifies this one, and in which this one is counted. `domain` is not 0.
inline int parent_domain(int domain) {
  int last_digit = std::countr_zero(static_cast<unsigned>(domain)) / kBitsOfFanOut * kBitsOfFanOut;
  return domain & ~(((1 << kBitsOfFanOut) - 1) << last_digit);
}

/// Calls visit(child) for each child among the first `domains` domains, those with the tallest subtrees first.
template <typename Visit> void for_each_child_domain(int domain, int domains, Visit visit) {
  int digit = 0;
  while (domains >> (digit + kBitsOfFanOut) != 0) digit += kBitsOfFanOut;
  for (; digit >= 0; digit -= kBitsOfFanOut) {
    if ((domain & ((1 << (digit + kBitsOfFanOut)) - 1)) != 0) continue;
    for (int i = 1; i < 1 << kBitsOfFanOut; ++i)
      if (int child = domain + (i << digit); child < domains) visit(child);
  }
}

} // namespace chomp
