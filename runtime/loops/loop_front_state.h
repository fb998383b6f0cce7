// What the members of a team keep of a loop whose chunks are handed out at run time: where its front is, what each
// member holds in reserve, and what a member remembers of loops that it met. How it is used: loops/loop_front.h.
#pragma once

#include <cstdint>

#include "runtime/base/atomic.h"
#include "runtime/base/cacheline.h"
#include "runtime/base/check.h"

namespace chomp {

/// Units of a loop, first … end - 1. A unit is one chunk. In gigantic loops it is several, so that the loop has fewer
/// than some 2^30 units.
struct UnitRange {
  uint32_t first, end;
  uint32_t size() const { return end > first ? end - first : 0; }
};

/// SharedLoop::taken as the front of a loop: the first unit that nobody has (it passes the loop's end by less than
/// 2^31), whether a member has ever held units in reserve, whether the last unit is taken.
///   next | reserves << 62 | over << 63
struct LoopFront {
  static constexpr uint64_t kReserves = uint64_t{1} << 62, kOver = uint64_t{1} << 63;
  static uint32_t next(uint64_t word) { return static_cast<uint32_t>(word); }
};

/// Units that a member has taken off the front and has not begun: end << 32 | first. Others may take the first ones.
struct LoopReserve {
  static constexpr uint64_t kBeingFilled = UINT64_MAX; // nobody takes anything from it
  static constexpr uint64_t pack(UnitRange range) { return uint64_t{range.end} << 32 | range.first; }
  static constexpr UnitRange unpack(uint64_t word) {
    return {static_cast<uint32_t>(word), static_cast<uint32_t>(word >> 32)};
  }

  alignas(kCacheLine) atomic<uint64_t> word{0};
};

/// What a team remembers of a loop that it meets again: hints, which any member may replace at any time.
struct LoopMemory {
  static constexpr unsigned kTagBits = 24, kCostBits = 24;
  static constexpr uint32_t kMostCost = (1 << kCostBits) - 1;

  uint32_t tag = 0;        // which loop it is
  uint32_t cost = 0;       // cycles of a unit; 0: not known
  uint32_t experience = 0; // units in a row that did not wait for one another, as far as the team can know

  static LoopMemory unpack(uint64_t word) {
    return {static_cast<uint32_t>(word & ((1 << kTagBits) - 1)), static_cast<uint32_t>(word >> kTagBits) & kMostCost,
            static_cast<uint32_t>(word >> (kTagBits + kCostBits))};
  }
  uint64_t pack() const { return tag | uint64_t{cost} << kTagBits | uint64_t{experience} << (kTagBits + kCostBits); }
};

/// The loops that a team met last.
class LoopMemories {
public:
  /// `tag` becomes that of the loop at `site`.
  atomic<uint64_t>& find(const void* site, uint32_t* tag) {
    uint64_t hash = reinterpret_cast<uintptr_t>(site) * 0x9e3779b97f4a7c15u;
    *tag = static_cast<uint32_t>(hash >> 8) & ((1 << LoopMemory::kTagBits) - 1);
    return words_[hash >> (64 - kBits)];
  }

private:
  static constexpr unsigned kBits = 6;
  alignas(kCacheLine) atomic<uint64_t> words_[1 << kBits]{};
};

/// A member's view of the loop that it is in.
struct MemberFront {
  atomic<uint64_t>* shared_memory = nullptr;
  LoopMemory memory;
  uint64_t unit = 1;       // iterations of a unit; a multiple of the chunk
  uint32_t units = 0;      // of the whole loop
  uint32_t piece = 0;      // units handed out last; 0: none yet
  uint32_t next = 0;       // where the front was when the member had taken from it last
  uint32_t batch = 0;      // how much it took
  uint32_t gained = 0;     // experience that the team does not know yet
  bool has_begun = false;  // the member has executed units of this loop
  bool reserves = false;   // the front says that members hold units in reserve
  uint32_t impatience = 0; // for so many more takes it does not wait for a proof
  uint64_t since = 0;      // when the piece was handed out (cycle_counter())
};

} // namespace chomp
