// Points between two steps of a protocol, where steps of other threads may fall. Debug-checks builds yield the CPU at
// some visits. So tests meet interleavings that otherwise take a preemption at the worst moment. In other builds these
// functions do nothing.
#pragma once

#ifdef CHOMP_CHECKS
#include <cstdint>

#include "runtime/base/atomic.h"
#include "runtime/base/os_linux.h"
#endif

namespace chomp {

#ifdef CHOMP_CHECKS
inline bool preempted_here() {
  static atomic<uint32_t> visits{0};
  // relaxed: any order of the visits will do. The hash is multiplicative, so that no loop falls in step with it.
  return (visits.fetch_add(1, std::memory_order_relaxed) * 2654435769u) >> 29 == 0;
}
#endif

inline void preemption_point() {
#ifdef CHOMP_CHECKS
  if (preempted_here()) cpu_yield();
#endif
}

/// The same between rare steps: the thread sleeps for as long as others need to end a region and begin another.
inline void long_preemption_point() {
#ifdef CHOMP_CHECKS
  constexpr int64_t kAwayNs = 100'000;
  static atomic<uint32_t> nobody_wakes{0};
  if (preempted_here()) futex_wait(&nobody_wakes, 0, kAwayNs);
#endif
}

} // namespace chomp
