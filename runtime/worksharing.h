// State of worksharing constructs: loops, sections, single, ordered, doacross, copyprivate. One part per team, one per member.
// Called by abi/kmpc_loop.cpp and abi/kmpc_sync.cpp through the functions of worksharing.cpp.
#pragma once

#include <atomic>
#include <cstdint>

#include "runtime/base/cacheline.h"

namespace chomp {

struct TeamWorksharing {
  // single: the number of single constructs of this region that somebody has entered.
  alignas(kCacheLine) std::atomic<uint32_t> singles_taken{0};
};

struct MemberWorksharing {
  uint32_t singles_seen = 0;
};

} // namespace chomp
