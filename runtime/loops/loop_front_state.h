// What the members of a team keep of a loop whose chunks are handed out at run time: where its front is and those of
// its chips, what is left of each member's share, and what is remembered of loops. How it is used: loops/loop_front.h.
#pragma once

#include <algorithm>
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
/// 2^31); from which unit on the loop is dealt or, if it is not, from which on members wait for a proof; whether it is
/// dealt; whether the last unit is taken.
///   next | from << 32 | dealt << 62 | over << 63
struct LoopFront {
  static constexpr uint64_t kDealt = uint64_t{1} << 62, kOver = uint64_t{1} << 63;
  static uint32_t next(uint64_t word) { return static_cast<uint32_t>(word); }
  /// The same, unless the last unit has begun.
  static uint64_t begun(uint64_t word) { return word & (kOver | UINT32_MAX); }
  static uint32_t from(uint64_t word) { return static_cast<uint32_t>((word & ~(kDealt | kOver)) >> 32); }
  static uint64_t with_from(uint64_t word, uint32_t unit) {
    return (word & (kDealt | kOver)) | uint64_t{unit} << 32 | next(word);
  }
  static uint64_t deal(uint64_t word) { return uint64_t{next(word)} << 32 | kDealt | next(word); }
};

/// What has not begun of the units that a chip's members take one by one.
///   first | end << 32; empty if first is not less than end; being filled if first is kBeingFilled or more
struct ChipFront {
  static constexpr uint64_t kBeingFilled = uint64_t{1} << 31; // members that find nothing may add to it
  static constexpr uint64_t pack(UnitRange range) { return uint64_t{range.end} << 32 | range.first; }
  static constexpr UnitRange unpack(uint64_t word) {
    return {static_cast<uint32_t>(word), static_cast<uint32_t>(word >> 32)};
  }
  static constexpr bool is_being_filled(uint64_t word) { return static_cast<uint32_t>(word) >= kBeingFilled; }
};

/// What has not begun of a member's share of a loop that is dealt.
///   claimed: bit 63 set, end << 32 | first. Somebody has taken from it.
///   offered: bit 63 clear, a number. In loops from that number on: the whole share; in earlier ones: nothing, the
///     member has left them.
struct LoopShare {
  static constexpr uint64_t kClaimed = uint64_t{1} << 63;
  static constexpr uint64_t kBeingFilled = UINT64_MAX; // nobody takes anything from it
  static constexpr uint64_t claimed(UnitRange range) { return kClaimed | uint64_t{range.end} << 32 | range.first; }
  static constexpr bool is_claimed(uint64_t word) { return (word & kClaimed) != 0; }
  static constexpr UnitRange unpack(uint64_t word) {
    return {static_cast<uint32_t>(word), static_cast<uint32_t>((word & ~kClaimed) >> 32)};
  }

  alignas(kCacheLine) atomic<uint64_t> word{0};
  atomic<uint64_t> chip{0}; // of the chip's first member: ChipFront

  // Of the chip's first member: a bit for each member that takes a unit or waits for one, from the first one's on. Of
  // each member that waits: the end of its unit, or kNothing. Both are zero when the loop ends.
  atomic<uint64_t> takers{0};
  atomic<uint32_t> given{0};
  static constexpr uint32_t kNothing = UINT32_MAX;
};

/// What a team remembers of a loop that it meets again: hints, which any member may replace at any time.
struct LoopMemory {
  static constexpr unsigned kTagBits = 18, kCostBits = 18, kProvedBits = 10, kQuickBits = 14, kInVainBits = 3;
  static constexpr uint32_t kMostCost = (1 << kCostBits) - 1, kMostProved = (1 << kProvedBits) - 1;
  static constexpr uint32_t kMostQuick = (1 << kQuickBits) - 1, kMostInVain = (1 << kInVainBits) - 1;

  uint32_t tag = 0;     // which loop it is
  uint32_t cost = 0;    // cycles of a unit, as one member found; 0: not known
  uint32_t proved = 0;  // so many units, from the first, have been seen to end before a later one began
  uint32_t quick = 0;   // units in a row that did not take long enough to have waited, after that
  uint32_t in_vain = 0; // how many executions in a row, of those with waits, proved no further unit; at most 7
  uint32_t holds = 0;   // 1: a chip may hold units that have not begun

  static uint32_t as_cost(uint64_t cycles) { return static_cast<uint32_t>(std::clamp<uint64_t>(cycles, 1, kMostCost)); }
  /// Units take so long now. All members read the line, so little changes are not noted.
  void note_cost(uint32_t now) {
    if (cost < now / 4 || cost / 4 > now) cost = now;
  }
  /// Whether a proof that got nowhere time and again is left alone in the team's loop of that number. One of 16 tries
  /// it.
  bool rests(uint64_t number) const { return in_vain == kMostInVain && number * 0x9e3779b97f4a7c15u >> 60 != 0; }

  static LoopMemory unpack(uint64_t word) {
    auto part = [&word](unsigned bits) {
      auto low = static_cast<uint32_t>(word) & ((1u << bits) - 1);
      word >>= bits;
      return low;
    };
    LoopMemory memory;
    memory.tag = part(kTagBits);
    memory.cost = part(kCostBits);
    memory.proved = part(kProvedBits);
    memory.quick = part(kQuickBits);
    memory.in_vain = part(kInVainBits);
    memory.holds = part(1);
    return memory;
  }
  uint64_t pack() const {
    uint64_t word = holds;
    word = word << kInVainBits | in_vain;
    word = word << kQuickBits | quick;
    word = word << kProvedBits | proved;
    word = word << kCostBits | cost;
    return word << kTagBits | tag;
  }
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
  LoopShare* chip = nullptr; // of the chip's first member, if the member takes units by its chip
  LoopMemory memory;
  uint64_t unit = 1;          // iterations of a unit; a multiple of the chunk
  uint32_t units = 0;         // of the whole loop
  uint32_t piece = 0;         // units handed out last; 0: none yet
  uint32_t next = 0;          // where the front was when the member had taken from it last; 0: its unit proves nothing
  uint32_t batch = 0;         // how much it took
  uint32_t gained = 0;        // quick units that the team does not know of yet
  UnitRange row{0, 0};        // units that the member had at the front, and nobody any in between; all have ended
  uint32_t usual_cost = 0;    // the team's cost when the member entered: first units may be of another kind
  uint32_t proved_before = 0; // how many units were proved then
  bool met_before = false;    // the team remembered it
  bool has_begun = false;     // the member has executed units of this loop
  bool dealt = false;         // the member knows that the loop is dealt
  bool over = false;          // the member had the last unit
  bool in_vain = false;       // the member has waited for a unit to end, and a later one has begun
  bool learns = false;        // by its chip: in this execution members may prove the loop
  bool proves = false;        // by its chip: it looks at its unit's end whether a later one has begun
  uint32_t from = 0;          // dealt: the first unit of the shares
  uint64_t since = 0;         // when the piece was handed out (cycle_counter())
  uint64_t cycles = 0;        // what the units took that the member has ended
  uint32_t done = 0;          // the number of these units

  /// What an execution of a loop that is not proved leaves. `waited`: members ended waits for its proof.
  void tell(LoopMemory& known, bool waited) const {
    uint32_t mean = done == 0 ? known.cost : LoopMemory::as_cost(cycles / done), quarter = known.cost / 4;
    if (mean > known.cost + quarter || mean + quarter < known.cost) known.cost = mean; // all members read the line
    if (waited && known.proved <= proved_before && known.in_vain < LoopMemory::kMostInVain) ++known.in_vain;
  }
};

} // namespace chomp
