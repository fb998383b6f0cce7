// Where a protocol's steps are far enough apart that another thread's may come between them. Debug-checks builds give
// the processor away at some of these points, so that tests meet interleavings that otherwise take a preemption at the
// worst moment.
#pragma once

#ifdef CHOMP_CHECKS
#include <atomic>
#include <cstdint>

#include "runtime/base/os_linux.h"
#endif

namespace chomp {

#ifdef CHOMP_CHECKS
inline bool preempted_here() {
  static std::atomic<uint32_t> visits{0};
  // relaxed: any order of the visits is as good. A multiplicative hash: no pattern that a loop could fall in step with.
  return (visits.fetch_add(1, std::memory_order_relaxed) * 2654435769u) >> 29 == 0;
}
#endif

inline void preemption_point() {
#ifdef CHOMP_CHECKS
  if (preempted_here()) cpu_yield();
#endif
}

/// The same for steps that are rare: the thread is away for as long as others need to end a region and begin another.
inline void long_preemption_point() {
#ifdef CHOMP_CHECKS
  constexpr int64_t kAwayNs = 100'000;
  static std::atomic<uint32_t> nobody_wakes{0};
  if (preempted_here()) futex_wait(&nobody_wakes, 0, kAwayNs);
#endif
}

} // namespace chomp
