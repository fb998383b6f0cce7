// See loop_ranges.h.
#include "runtime/loops/loop_ranges.h"

#include "runtime/base/backoff.h"
#include "runtime/base/check.h"
#include "runtime/base/preemption.h"
#include "runtime/core/team.h"
#include "runtime/machine/topology.h"

namespace chomp {

namespace {

constexpr uint64_t kMostUnits = uint64_t{1} << 30;

// In cycles. Handing out a batch of about 3 us costs 1 % at most. A batch is also how long a member may be busy when
// the others have nothing left. Towards the end of a range batches halve: there the others are likely to have nothing
// left, and cannot help with a batch that takes long. A few short units at the end are one batch, and so is a whole
// share that is known to be short.
constexpr unsigned kLongBatchBits = 13;
constexpr uint64_t kShortTail = 8; // units
constexpr uint32_t kShortShare = 1 << 12;
// A batch is at most so many times as long as the one before: the next iterations may be of another kind.
constexpr uint64_t kMostGrowth = 16;
constexpr uint32_t kRound = 16;

// In the first looks of a search, a thief takes only what is worth moving. In its first looks in a loop, it leaves
// alone the shares of members that have not come yet. A look takes some 100 ns, so this number is about a microsecond.
constexpr unsigned kLooksBeforeSmallSteals = 8;
constexpr uint64_t kWorthMoving = 1 << 10; // cycles

// A member that looks at every range and finds all empty says so (SharedLoop::nothing_left), so that the others need
// not look. Only a range that was being moved at that moment can appear later, and the member that moves it executes
// it. In teams up to this size a look moves no more cache lines than writing and reading that word would.
constexpr int32_t kFewMembers = 4;

// If members never find anything to take, they still look for it in one run of this many.
constexpr uint32_t kQuietRuns = 16;

atomic<uint64_t>& word_of(Team* team, int32_t tid, uint64_t loop) {
  return team->members[tid].worksharing.ranges[loop % kLoopSlots].word;
}

UnitRange share_of(const MemberRanges& loop, const Team* team, int32_t tid) {
  if (loop.units == 0) return {0, 0};
  IndexBlock<uint32_t> share =
      balanced_block<uint32_t>(loop.units - 1, static_cast<uint32_t>(tid), static_cast<uint32_t>(team->size()));
  return share.empty() ? UnitRange{0, 0} : UnitRange{share.first, share.last + 1};
}

/// What a word says about the loop.
struct LeftOver {
  UnitRange range{0, 0};
  bool last = false; // the last unit is here
};

LeftOver left_over(uint64_t word, const MemberRanges& loop, const Team* team, int32_t tid) {
  if (CHOMP_LIKELY(SharedRange::is_claimed(word))) return {SharedRange::range(word), SharedRange::last(word)};
  if (word != loop.loop) return {};
  return {share_of(loop, team, tid), tid == loop.last_sharer};
}

/// The same of the member's own word.
LeftOver own_left_over(uint64_t word, const MemberRanges& loop, int32_t tid) {
  if (SharedRange::is_claimed(word)) return {SharedRange::range(word), SharedRange::last(word)};
  return {loop.share, tid == loop.last_sharer}; // ranges_enter() has made it this loop's
}

/// Bounds of long batches are multiples of kRound units, for code that works on whole vectors.
uint32_t rounded(uint32_t bound, uint32_t length) { return length < 4 * kRound ? bound : bound & ~(kRound - 1); }

/// How many units to take of a range, at `now`.
uint32_t batch_size(const MemberRanges& loop, UnitRange range, uint64_t now) {
  if (loop.batch == 0) return 1;
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
  atomic<uint64_t>* word = nullptr; // null: nothing to take now
  uint64_t seen = 0;
  UnitRange range{0, 0};
  bool last = false; // the last unit is there too
  int distance = 0;
  bool later = false; // there are units, but they are left to their owner for now
};

class Thief {
public:
  explicit Thief(Member* member) : member_(member), team_(member->team), loop_(member->worksharing.loop.ranges) {}

  /// Fills the member's own, empty, range. False: nothing is left for it, but perhaps the last unit.
  bool refill() {
    Backoff backoff;
    atomic<uint64_t>& nothing_left = member_->worksharing.loop.shared->nothing_left;
    bool few = team_->size() <= kFewMembers;
    for (unsigned look = 0;; ++look, backoff.pause()) {
      // relaxed: a hint.
      if (!few && nothing_left.load(std::memory_order_relaxed) == loop_.loop + 1) return false;
      leaves_small_shares_ = look < kLooksBeforeSmallSteals;
      owners_may_come_ = loop_.looks < kLooksBeforeSmallSteals;
      ++loop_.looks;
      // acquire: pairs with release in remember_share(): a member that is counted shows no kTakenWhole any more.
      uint64_t long_shares = team_->worksharing.long_shares.load(std::memory_order_acquire);
      Outcome outcome = steal_from_own_domain();
      if (outcome != Outcome::kTaken && team_->domains_in_use > 1) {
        Outcome others = steal_from_other_domains();
        if (others != Outcome::kNothing) outcome = others;
      }
      if (outcome == Outcome::kTaken) return true;
      if (outcome == Outcome::kNothing) {
        loop_.memory->quiet = all_whole_ ? long_shares : LoopMemory::kNever;
        loop_.memory->runs = 0;
        if (!few) nothing_left.store(loop_.loop + 1, std::memory_order_relaxed); // relaxed: a hint
        return false;
      }
      if (loop_.unit_cost == 0) return false; // the member had no share, so it may take the last unit at once
    }
  }

private:
  enum class Outcome { kTaken, kNothing, kLater };

  Outcome steal_from_own_domain() {
    Found found = look_around(false);
    if (found.word != nullptr) return take_half(found) ? Outcome::kTaken : Outcome::kLater;
    return found.later ? Outcome::kLater : Outcome::kNothing;
  }

  /// One thief per domain takes from other domains; the other members of the domain take from what it brings.
  Outcome steal_from_other_domains() {
    atomic<uint32_t>& thief = team_->domain_lines[member_->domain].loop_thief;
    // acquire: pairs with the release below: what the last thief brought is seen. A thief that has looked often does
    // not wait for a thief that may be preempted.
    bool only_one = thief.exchange(1, std::memory_order_acquire) == 0;
    if (!only_one && leaves_small_shares_) return Outcome::kLater;
    Found found = look_around(true);
    bool taken = found.word != nullptr && take_half(found);
    if (only_one) thief.store(0, std::memory_order_release); // release: pairs with acquire above
    if (taken) return Outcome::kTaken;
    return found.word != nullptr || found.later ? Outcome::kLater : Outcome::kNothing;
  }

  bool may_take(uint64_t word, UnitRange range) const {
    if (!SharedRange::is_claimed(word)) return !owners_may_come_;
    return !leaves_small_shares_ || loop_.unit_cost == 0 ||
           uint64_t{range.size() / 2 + 1} * loop_.unit_cost >= kWorthMoving;
  }

  /// The largest range in the member's own domain or, if `everywhere`, in the nearest domain that has any.
  Found look_around(bool everywhere) {
    Found best;
    all_whole_ = true;
    int32_t size = team_->size();
    const uint16_t *domain_of = team_->shape.domain_of_member, *physical = team_->shape.physical_domain;
    for (int32_t step = 1; step < size; ++step) {
      int32_t tid = member_->tid + step;
      if (tid >= size) tid -= size;
      if (!everywhere && domain_of[tid] != member_->domain) continue;
      atomic<uint64_t>& word = word_of(team_, tid, loop_.loop);
      uint64_t seen = word.load(std::memory_order_relaxed); // relaxed: the word is all that is read
      if (CHOMP_LIKELY(seen == kTakenWhole) || tid > loop_.last_sharer) continue;
      all_whole_ = false;
      auto [range, last] = left_over(seen, loop_, team_, tid);
      if (range.size() == 0) continue;
      if (!may_take(seen, range)) {
        best.later = true;
        continue;
      }
      int distance = everywhere ? topology_distance(physical[member_->domain], physical[domain_of[tid]]) : 0;
      if (best.word != nullptr &&
          (distance > best.distance || (distance == best.distance && range.size() <= best.range.size())))
        continue;
      best = {&word, seen, range, last, distance, best.later};
    }
    return best;
  }

  /// The upper half becomes the member's own range. A range of one unit is taken whole, since its owner may be inside a
  /// long iteration. The loop's last unit stays where it is.
  bool take_half(Found& found) {
    uint32_t half = found.range.size() / 2, middle = rounded(found.range.first + half, half);
    uint64_t rest = SharedRange::claimed({found.range.first, middle}, found.last);
    preemption_point();
    // relaxed: the word is all that passes between the members; the end of the loop orders what iterations do.
    if (!found.word->compare_exchange_strong(found.seen, rest, std::memory_order_relaxed)) return false;
    preemption_point();
    fill_own_word({middle, found.range.end});
    loop_.batch = 0; // the units may be left because they take long
    return true;
  }

  void fill_own_word(UnitRange range) {
    atomic<uint64_t>& own = word_of(team_, member_->tid, loop_.loop);
    // relaxed, all: as in take_half().
    if (member_->tid != loop_.last_sharer)
      return own.store(SharedRange::claimed(range, false), std::memory_order_relaxed);
    // Another member may take the last unit meanwhile.
    uint64_t seen = own.load(std::memory_order_relaxed);
    while (!own.compare_exchange_weak(seen, SharedRange::claimed(range, own_left_over(seen, loop_, member_->tid).last),
                                      std::memory_order_relaxed)) {
    }
  }

  Member* const member_;
  Team* const team_;
  MemberRanges& loop_;
  bool leaves_small_shares_ = true;
  bool owners_may_come_ = true; // the owners of shares that nobody has begun
  bool all_whole_ = false;      // at the last look every share was taken whole
};

} // namespace

// ---- What loop.cpp and worksharing.cpp call -------------------------------------------------------------------------

void ranges_enter(Member* member, uint64_t number) {
  MemberRanges& loop = member->worksharing.loop.ranges;
  const LoopRange& range = member->worksharing.loop.range;
  uint64_t last = range.last, chunk = member->worksharing.loop.schedule.chunk;
  loop.unit = chunk == 1 && last < kMostUnits ? 1 : (last / chunk / kMostUnits + 1) * chunk;
  loop.units = static_cast<uint32_t>(loop.unit == 1 ? last : last / loop.unit);
  loop.last = last;
  loop.loop = number;
  auto units = static_cast<int32_t>(loop.units), size = member->team->size();
  loop.last_sharer = (units < size ? units : size) - (units > 0);
  loop.share = share_of(loop, member->team, member->tid);
  loop.share_units = 0;
  loop.batch = 0;
  loop.unit_cost = 0;
  loop.looks = 0;
  loop.in_share = true;
  loop.taken_whole = false;
  loop.had_last = false;
  loop.memory = &member->worksharing.loop_memories.find(range.site, loop.units, size);
  atomic<uint64_t>& own = word_of(member->team, member->tid, number);
  // relaxed, both: nobody else changes a word that offers another loop.
  uint64_t found = own.load(std::memory_order_relaxed);
  if (CHOMP_UNLIKELY(found != number) && !SharedRange::is_claimed(found)) own.store(number, std::memory_order_relaxed);
}

/// Takes the last unit, if nobody has it. All ranges are empty, or are left to their owners.
static bool take_last(Member* member, IndexBlock<uint64_t>* taken) {
  MemberRanges& loop = member->worksharing.loop.ranges;
  Team* team = member->team;
  atomic<uint64_t>& word = word_of(team, loop.last_sharer, loop.loop);
  // relaxed, both: as in ranges_take().
  uint64_t seen = word.load(std::memory_order_relaxed);
  for (;;) {
    LeftOver there = left_over(seen, loop, team, loop.last_sharer);
    if (!there.last) return false;
    preemption_point();
    if (word.compare_exchange_weak(seen, SharedRange::claimed(there.range, false), std::memory_order_relaxed)) break;
  }
  *taken = {loop.units * loop.unit, loop.last};
  loop.had_last = true;
  return true;
}

/// Called when the member's share is used up: remembers how long it took. If it is long, and was not known to be, the
/// count of long shares grows: others may rely on its being short.
static void remember_share(Member* member, uint64_t now) {
  MemberRanges& loop = member->worksharing.loop.ranges;
  LoopMemory& memory = *loop.memory;
  loop.in_share = false;
  uint64_t took = 0;
  if (loop.share.size() > 0) {
    if (loop.share_units == 0) return; // others have executed it
    took = now - loop.began;
    if (loop.share_units < loop.share.size()) took = took / loop.share_units * loop.share.size();
  }
  uint32_t before = memory.took;
  if (before != LoopMemory::kUnknown && took < before - before / 8) took = before - before / 8;
  memory.took = took < LoopMemory::kUnknown ? static_cast<uint32_t>(took) : LoopMemory::kUnknown - 1;
  bool was_long = before != LoopMemory::kUnknown && before >= kShortShare;
  if (CHOMP_LIKELY(memory.took < kShortShare) || was_long) return;
  // relaxed: an empty word without the last unit is the member's own. The count below releases it.
  if (loop.taken_whole)
    word_of(member->team, member->tid, loop.loop).store(SharedRange::claimed({0, 0}, false), std::memory_order_relaxed);
  // release: pairs with acquire in Thief::refill().
  member->team->worksharing.long_shares.fetch_add(1, std::memory_order_release);
}

/// Takes the whole share, which is known to be short. Takes the last unit too, if that comes next (a thief may have
/// taken what is between).
static bool take_whole(Member* member, IndexBlock<uint64_t>* taken) {
  MemberRanges& loop = member->worksharing.loop.ranges;
  atomic<uint64_t>& own = word_of(member->team, member->tid, loop.loop);
  uint64_t now = cycle_counter();
  uint64_t seen = own.load(std::memory_order_relaxed); // relaxed, both: as in ranges_take()
  LeftOver found;
  bool with_last;
  uint64_t rest;
  do {
    found = own_left_over(seen, loop, member->tid);
    if (found.range.size() == 0) return false;
    with_last = found.last && found.range.end == loop.units;
    rest = found.last && !with_last ? SharedRange::claimed({0, 0}, true) : kTakenWhole;
    preemption_point();
  } while (!own.compare_exchange_weak(seen, rest, std::memory_order_relaxed));
  loop.batch = loop.share_units = found.range.size();
  loop.since = loop.began = now;
  loop.taken_whole = rest == kTakenWhole;
  loop.had_last = with_last;
  *taken = {found.range.first * loop.unit, with_last ? loop.last : found.range.end * loop.unit - 1};
  return true;
}

/// Whether there is no point in looking for anything to take: all others' shares are short.
static bool others_are_quick(Member* member) {
  LoopMemory& memory = *member->worksharing.loop.ranges.memory;
  // relaxed: at worst a look too many or too few.
  return memory.quiet == member->team->worksharing.long_shares.load(std::memory_order_relaxed) &&
         ++memory.runs < kQuietRuns;
}

bool ranges_take(Member* member, IndexBlock<uint64_t>* taken) {
  MemberRanges& loop = member->worksharing.loop.ranges;
  if (loop.batch == 0 && loop.in_share && loop.memory->took < kShortShare && take_whole(member, taken)) return true;
  uint64_t now = cycle_counter();
  if (loop.had_last) {
    if (loop.in_share) remember_share(member, now);
    return false;
  }
  if (loop.batch != 0) {
    uint64_t cost = (now - loop.since) / loop.batch;
    loop.unit_cost = cost == 0 ? 1 : cost > UINT32_MAX ? UINT32_MAX : static_cast<uint32_t>(cost);
  }
  atomic<uint64_t>& own = word_of(member->team, member->tid, loop.loop);
  // relaxed, here and below: the word is all that passes between the members.
  uint64_t seen = own.load(std::memory_order_relaxed);
  for (;;) {
    LeftOver found = own_left_over(seen, loop, member->tid);
    UnitRange range = found.range;
    if (range.size() == 0) {
      if (loop.in_share) remember_share(member, now);
      if (others_are_quick(member)) return member->tid == loop.last_sharer && take_last(member, taken);
      if (!Thief(member).refill()) return take_last(member, taken);
      seen = own.load(std::memory_order_relaxed);
      now = cycle_counter();
      continue;
    }
    uint32_t size = batch_size(loop, range, now);
    preemption_point();
    if (!own.compare_exchange_weak(seen, SharedRange::claimed({range.first + size, range.end}, found.last),
                                   std::memory_order_relaxed))
      continue;
    if (loop.in_share) {
      if (loop.share_units == 0) loop.began = now;
      loop.share_units += size;
    }
    loop.batch = size;
    loop.since = now;
    *taken = {range.first * loop.unit, (range.first + size) * loop.unit - 1};
    return true;
  }
}

void ranges_offer(Member* member, uint32_t slot, uint64_t next) {
  // relaxed: released by RingPosition::left, or by the region's join.
  member->worksharing.ranges[slot].word.store(next, std::memory_order_relaxed);
}

} // namespace chomp
