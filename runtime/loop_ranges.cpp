// See loop_ranges.h.
#include "runtime/loop_ranges.h"

#include "runtime/base/backoff.h"
#include "runtime/base/check.h"
#include "runtime/base/preemption.h"
#include "runtime/team.h"
#include "runtime/topology.h"

namespace chomp {

namespace {

constexpr uint64_t kMostUnits = uint64_t{1} << 30;

// Cycles. A batch of about 3 us costs 1 % at most for being handed out, and this is how long a member may be busy when
// the others have nothing left. Towards the end of a range, where the others are likely to have nothing left and the
// unexpected cannot be made up for, batches halve; some short units at the end are one batch. So is a whole share that
// is known to be short.
constexpr unsigned kLongBatchBits = 13;
constexpr uint64_t kShortTail = 8; // units
constexpr uint32_t kShortShare = 1 << 12;
// How much longer a batch may be than the one before it: the next iterations may be of another kind.
constexpr uint64_t kMostGrowth = 16;
constexpr uint32_t kRound = 16;

// Looking for something to steal. For so many looks only what is worth moving is taken; for so many looks in one loop,
// the shares of members that have not come yet are left to them. A look takes some 100 ns: about a microsecond.
constexpr unsigned kPatientLooks = 8;
constexpr uint64_t kWorthMoving = 1 << 10; // cycles

// SharedLoop::taken of such a loop. kNothingLeft: somebody has looked at every range and found all empty. Then nobody
// has to look again: only a range that was being moved at that moment can appear, and who moves it executes it.
constexpr uint64_t kLastTaken = 1, kNothingLeft = 2;

std::atomic<uint64_t>& word_of(Team* team, int32_t tid, uint32_t slot) {
  return team->seats[tid].worksharing.ranges[slot].word;
}

UnitRange share_of(const MemberRanges& loop, const Team* team, int32_t tid) {
  if (loop.units == 0) return {0, 0};
  IndexBlock<uint32_t> share =
      balanced_block<uint32_t>(loop.units - 1, static_cast<uint32_t>(tid), static_cast<uint32_t>(team->size()));
  return share.empty() ? UnitRange{0, 0} : UnitRange{share.first, share.last + 1};
}

/// What the word of member `tid` says about the loop.
UnitRange range_in(uint64_t word, const MemberRanges& loop, const Team* team, int32_t tid) {
  if (CHOMP_LIKELY(SharedRange::is_claimed(word))) return SharedRange::range(word);
  return word == loop.loop ? share_of(loop, team, tid) : UnitRange{0, 0};
}

/// Bounds of long batches are multiples of kRound units, for code that works on whole vectors.
uint32_t rounded(uint32_t bound, uint32_t length) { return length < 4 * kRound ? bound : bound & ~(kRound - 1); }

/// How many units to take of a range, at `now`.
uint32_t batch_size(const MemberRanges& loop, UnitRange range, uint64_t now) {
  if (loop.batch == 0) return loop.share != nullptr && loop.share->took < kShortShare ? range.size() : 1;
  uint64_t took = (now - loop.since) | 1, left = range.size();
  uint64_t size = left / 2 > kShortTail ? left / 2 : kShortTail;
  uint64_t longest = (uint64_t{loop.batch} << kLongBatchBits) / took;
  if (size > longest) size = longest;
  if (size > loop.batch * kMostGrowth) size = loop.batch * kMostGrowth;
  if (size >= left) return range.size();
  if (size == 0) return 1;
  return rounded(range.first + static_cast<uint32_t>(size), static_cast<uint32_t>(size)) - range.first;
}

// ---- Stealing -------------------------------------------------------------------------------------------------------

/// What a look at other members' ranges has found.
struct Found {
  std::atomic<uint64_t>* word = nullptr; // null: nothing to take now
  uint64_t seen = 0;
  UnitRange range{0, 0};
  int distance = 0;
  bool later = false; // there is something that patience leaves to its owner
};

class Thief {
public:
  explicit Thief(Member* member) : member_(member), team_(member->team), loop_(member->worksharing.loop.ranges) {}

  /// Fills the member's own, empty, range. False: nothing is left for it, but perhaps the last unit.
  bool refill() {
    Backoff backoff;
    std::atomic<uint64_t>& taken = member_->worksharing.loop.shared->taken;
    for (unsigned look = 0;; ++look, backoff.pause()) {
      if ((taken.load(std::memory_order_relaxed) & kNothingLeft) != 0) return false; // relaxed: a hint
      patient_ = look < kPatientLooks;
      owners_may_come_ = loop_.looks < kPatientLooks;
      ++loop_.looks;
      Outcome outcome = steal_from_own_domain();
      if (outcome != Outcome::kTaken && team_->domains_in_use > 1) {
        Outcome others = steal_from_other_domains();
        if (others != Outcome::kNothing) outcome = others;
      }
      if (outcome == Outcome::kTaken) return true;
      if (outcome == Outcome::kNothing) {
        taken.fetch_or(kNothingLeft, std::memory_order_relaxed); // relaxed: a hint
        return false;
      }
      if (loop_.unit_cost == 0) return false; // without a share of its own: as good for the last unit as any
    }
  }

private:
  enum class Outcome { kTaken, kNothing, kLater };

  Outcome steal_from_own_domain() {
    Found found = look_around(false);
    if (found.word != nullptr) return take_half(found) ? Outcome::kTaken : Outcome::kLater;
    return found.later ? Outcome::kLater : Outcome::kNothing;
  }

  /// One thief per domain; what it brings, the others of the domain take from it.
  Outcome steal_from_other_domains() {
    std::atomic<uint32_t>& thief = team_->domain_lines[member_->domain].loop_thief;
    // acquire: pairs with the release below: what the last thief brought is seen. Who has lost patience does not wait
    // for a thief that may be preempted.
    bool only_one = thief.exchange(1, std::memory_order_acquire) == 0;
    if (!only_one && patient_) return Outcome::kLater;
    Found found = look_around(true);
    bool taken = found.word != nullptr && take_half(found);
    if (only_one) thief.store(0, std::memory_order_release); // release: pairs with acquire above
    if (taken) return Outcome::kTaken;
    return found.word != nullptr || found.later ? Outcome::kLater : Outcome::kNothing;
  }

  bool may_take(uint64_t word, UnitRange range) const {
    if (!SharedRange::is_claimed(word)) return !owners_may_come_;
    return !patient_ || loop_.unit_cost == 0 || uint64_t{range.size() / 2 + 1} * loop_.unit_cost >= kWorthMoving;
  }

  /// The largest range in the member's own domain, or the largest of the nearest.
  Found look_around(bool everywhere) const {
    Found best;
    int32_t size = team_->size();
    const uint16_t *domain_of = team_->shape.domain_of_member, *physical = team_->shape.physical_domain;
    for (int32_t step = 1; step < size; ++step) {
      int32_t tid = member_->tid + step;
      if (tid >= size) tid -= size;
      if (!everywhere && domain_of[tid] != member_->domain) continue;
      std::atomic<uint64_t>& word = word_of(team_, tid, loop_.slot);
      uint64_t seen = word.load(std::memory_order_relaxed); // relaxed: the word is all that is read
      UnitRange range = range_in(seen, loop_, team_, tid);
      if (range.size() == 0) continue;
      if (!may_take(seen, range)) {
        best.later = true;
        continue;
      }
      int distance = everywhere ? topology_distance(physical[member_->domain], physical[domain_of[tid]]) : 0;
      if (best.word != nullptr &&
          (distance > best.distance || (distance == best.distance && range.size() <= best.range.size())))
        continue;
      best = {&word, seen, range, distance, best.later};
    }
    return best;
  }

  /// The upper half becomes the member's own range; of one unit, that one: its owner may sit in a long iteration.
  bool take_half(Found& found) {
    uint32_t half = found.range.size() / 2, middle = rounded(found.range.first + half, half);
    uint64_t rest = SharedRange::claimed({found.range.first, middle});
    preemption_point();
    // relaxed, both: the word is all that passes between the members; the end of the loop orders what iterations do.
    if (!found.word->compare_exchange_strong(found.seen, rest, std::memory_order_relaxed)) return false;
    preemption_point();
    word_of(team_, member_->tid, loop_.slot)
        .store(SharedRange::claimed({middle, found.range.end}), std::memory_order_relaxed);
    loop_.batch = 0; // what was left may be left because it takes long
    return true;
  }

  Member* const member_;
  Team* const team_;
  MemberRanges& loop_;
  bool patient_ = true;
  bool owners_may_come_ = true; // those that have not begun with their shares
};

} // namespace

// ---- What worksharing.cpp calls -------------------------------------------------------------------------------------

void ranges_enter(Member* member, uint32_t slot, uint64_t number) {
  MemberRanges& loop = member->worksharing.loop.ranges;
  const LoopRange& range = member->worksharing.loop.range;
  uint64_t last = range.last, chunk = member->worksharing.loop.schedule.chunk;
  loop.unit = (last / chunk / kMostUnits + 1) * chunk;
  loop.units = static_cast<uint32_t>(last / loop.unit);
  loop.last = last;
  loop.loop = number;
  loop.slot = slot;
  loop.batch = 0;
  loop.unit_cost = 0;
  loop.looks = 0;
  loop.had_last = false;
  loop.share = &member->worksharing.shares.find(range.site, loop.units);
  std::atomic<uint64_t>& own = member->worksharing.ranges[slot].word;
  // relaxed, both: nobody else changes a word that offers another loop.
  uint64_t found = own.load(std::memory_order_relaxed);
  if (!SharedRange::is_claimed(found) && found != number) own.store(number, std::memory_order_relaxed);
}

/// The last unit, if nobody has it. All ranges are empty, or their owners' business.
static bool take_last(Member* member, IndexBlock<uint64_t>* taken) {
  MemberRanges& loop = member->worksharing.loop.ranges;
  std::atomic<uint64_t>& already = member->worksharing.loop.shared->taken;
  // relaxed, both: as in ranges_take().
  if ((already.load(std::memory_order_relaxed) & kLastTaken) != 0) return false;
  if ((already.fetch_or(kLastTaken, std::memory_order_relaxed) & kLastTaken) != 0) return false;
  *taken = {loop.units * loop.unit, loop.last};
  loop.had_last = true;
  return true;
}

/// The member's own share is used up: keeps how long it took.
static void remember_share(MemberRanges& loop, uint64_t now) {
  uint64_t took = loop.unit_cost == 0 ? 0 : now - loop.began;
  uint32_t before = loop.share->took;
  if (before != ShareMemory::kUnknown && took < before - before / 8) took = before - before / 8;
  loop.share->took = took < ShareMemory::kUnknown ? static_cast<uint32_t>(took) : ShareMemory::kUnknown - 1;
  loop.share = nullptr;
}

bool ranges_take(Member* member, IndexBlock<uint64_t>* taken) {
  MemberRanges& loop = member->worksharing.loop.ranges;
  std::atomic<uint64_t>& own = member->worksharing.ranges[loop.slot].word;
  if (loop.had_last) return false;
  uint64_t now = cycle_counter();
  if (loop.batch != 0) {
    uint64_t cost = (now - loop.since) / loop.batch;
    loop.unit_cost = cost == 0 ? 1 : cost > UINT32_MAX ? UINT32_MAX : static_cast<uint32_t>(cost);
  }
  // relaxed, here and below: the word is all that passes between the members.
  uint64_t seen = own.load(std::memory_order_relaxed);
  for (;;) {
    UnitRange range = range_in(seen, loop, member->team, member->tid);
    if (range.size() == 0) {
      if (loop.share != nullptr) remember_share(loop, now);
      if (!Thief(member).refill()) return take_last(member, taken);
      seen = own.load(std::memory_order_relaxed);
      now = cycle_counter();
      continue;
    }
    uint32_t size = batch_size(loop, range, now);
    preemption_point();
    if (!own.compare_exchange_weak(seen, SharedRange::claimed({range.first + size, range.end}),
                                   std::memory_order_relaxed))
      continue;
    if (loop.batch == 0 && loop.unit_cost == 0) loop.began = now;
    loop.batch = size;
    loop.since = now;
    *taken = {range.first * loop.unit, (range.first + size) * loop.unit - 1};
    return true;
  }
}

void ranges_offer(Member* member, uint32_t slot, uint64_t next) {
  // relaxed: released by the count of those who have left, or by the region's join.
  member->worksharing.ranges[slot].word.store(next, std::memory_order_relaxed);
}

} // namespace chomp
