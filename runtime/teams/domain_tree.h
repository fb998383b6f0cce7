// The tree of a team's domains along which start signals (start_signal.cpp) and the opening of barriers (barrier.cpp)
// are propagated. Domain 0, the primary's, is the root. A domain's number, written to the base of the fan-out, says
// where it is in the tree: its parent is the number without its last digit that is not zero.
//
//     0 → 16 32 48 …, 4 8 12, 1 2 3      4 → 5 6 7      16 → 20 24 28, 17 18 19      20 → 21 22 23
//
// A parent's number is smaller than its children's, and a team's first members are in the domains of the smallest
// numbers (team_cache.cpp, shape_team()). So the domains that a region uses, 0 … n - 1, are a tree themselves, of depth
// log n. Subtrees are ranges of numbers: neighbours in the machine notify one another, and distant domains are notified
// first. Why four, and what it costs: runtime/teams/barriers.md, "Starts and barriers by domain".
#pragma once

namespace chomp {

inline constexpr int kBitsOfFanOut = 2;

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
