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

inline void preemption_point() {
#ifdef CHOMP_CHECKS
  static std::atomic<uint32_t> visits{0};
  // relaxed: any order of the visits is as good. A multiplicative hash: no pattern that a loop could fall in step with.
  if ((visits.fetch_add(1, std::memory_order_relaxed) * 2654435769u) >> 29 == 0) cpu_yield();
#endif
}

} // namespace chomp
