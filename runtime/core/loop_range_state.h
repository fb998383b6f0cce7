// What members keep of a loop whose chunks come in any order: a word that says what is left of a member's range; what a
// member remembers of loops that it met; its view of the loop that it is in. How they are used: loops/loop_ranges.h.
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

/// What is left of one member's range in one slot of the ring of loops.
///
///   claimed: bit 63 set, end << 32 | last << 31 | first
///     somebody has taken from it; last: the loop's last unit lies here, beside the range
///   offered: bit 63 clear, the number of a loop
///     in that loop: the member's whole share, and the last unit if no later member has a share; in any other: nothing
///
/// When a member leaves a loop, it offers its share of the next loop in the slot, long before it begins that loop. If
/// it is late (woken late, preempted), others execute its share. Zeroed memory offers the first loop of all.
class SharedRange {
public:
  static constexpr uint64_t kClaimed = uint64_t{1} << 63;
  static constexpr uint64_t claimed(UnitRange range, bool last) {
    return kClaimed | uint64_t{range.end} << 32 | (last ? kLast : 0) | range.first;
  }
  static constexpr bool is_claimed(uint64_t word) { return (word & kClaimed) != 0; }
  static constexpr UnitRange range(uint64_t word) {
    return {static_cast<uint32_t>(word & (kLast - 1)), static_cast<uint32_t>((word & ~kClaimed) >> 32)};
  }
  static constexpr bool last(uint64_t word) { return (word & kLast) != 0; }

  alignas(kCacheLine) atomic<uint64_t> word{0};

private:
  static constexpr uint64_t kLast = uint64_t{1} << 31;
};

/// Nothing is left, since the owner took its share, which is known to be short, in one piece.
inline constexpr uint64_t kTakenWhole = SharedRange::claimed({1, 0}, false);

/// What a member remembers of a loop that it meets again.
struct LoopMemory {
  static constexpr uint32_t kUnknown = UINT32_MAX;
  static constexpr uint64_t kNever = UINT64_MAX;

  const void* site = nullptr;
  uint32_t units = 0;
  int32_t team_size = 0;
  // Cycles that the member's share took. The number falls slowly, so that one long run in ten is remembered.
  uint32_t took = kUnknown;
  uint32_t runs = 0; // of the loop, since the member has last looked at other members' ranges
  // TeamWorksharing::long_shares when all others had taken their shares whole. They will do so again until that
  // changes.
  uint64_t quiet = kNever;
};

/// The loops that a member met last.
class LoopMemories {
public:
  LoopMemory& find(const void* site, uint32_t units, int32_t team_size) {
    uint64_t hash = (reinterpret_cast<uintptr_t>(site) + units) * 0x9e3779b97f4a7c15u;
    LoopMemory& memory = memories_[hash >> (64 - kBits)];
    if (CHOMP_UNLIKELY(memory.site != site || memory.units != units || memory.team_size != team_size))
      memory = LoopMemory{site, units, team_size};
    return memory;
  }

private:
  static constexpr unsigned kBits = 4;
  LoopMemory memories_[1 << kBits];
};

/// A member's view of the loop that it is in.
struct MemberRanges {
  LoopMemory* memory = nullptr;
  uint64_t unit = 1;        // iterations of a unit; a multiple of the chunk
  uint64_t last = 0;        // index of the loop's last iteration
  uint64_t loop = 0;        // its number
  uint32_t units = 0;       // of the whole loop, without the last one
  int32_t last_sharer = 0;  // the last member that has a share: the last unit lies beside its range
  UnitRange share{0, 0};    // the member's
  uint32_t share_units = 0; // how many of these units were handed out to the member itself
  uint32_t batch = 0;       // units handed out last; 0: none since the range was new
  uint32_t unit_cost = 0;   // cycles of a unit in the last batch; 0: not known
  uint32_t looks = 0;       // how often it looked at other members' ranges, in this loop
  uint64_t since = 0;       // when the last batch was handed out (cycle_counter())
  uint64_t began = 0;       // when the first batch was handed out
  bool in_share = true;     // the member's share is not used up
  bool taken_whole = false; // it was taken in one piece
  bool had_last = false;    // this member has had the last unit
};

} // namespace chomp
