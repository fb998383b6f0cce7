// See loop_front.h.
#include "runtime/loops/loop_front.h"

#include <algorithm>

#include "runtime/base/backoff.h"
#include "runtime/base/preemption.h"
#include "runtime/core/team.h"
#include "runtime/core/worker.h"
#include "runtime/tasks/cancel.h"

namespace chomp {

namespace {

constexpr uint64_t kMostUnits = uint64_t{1} << 30;

// In cycles; per member: the front's line goes from member to member.
//   kSlow      a unit that takes longer is taken off the front alone: a few transfers of the line
//   kBatch     what a batch should take, so that taking it costs little
constexpr uint64_t kSlow = 1536, kSlowPerMember = 256;
constexpr uint64_t kBatch = 8192, kBatchPerMember = 512;
// At the end a batch is this part of what is left for each member, but not less than that part of a usual batch: else
// the members would only wait for the front.
constexpr uint64_t kPartOfRest = 2, kPartOfBatch = 4;
// A batch is at most so many times as long as the one before: the next iterations may be of another kind.
constexpr uint32_t kMostGrowth = 16;
// Bounds of long batches are multiples of this many units, for code that works on whole vectors.
constexpr uint32_t kRound = 16;

// Experience with a loop, in units. A loop is proved when so many in a row have ended before a later one began: they
// waited for none. A member whose wait for such an end was in vain does not wait for so many further takes. Whole
// batches are handed to the compiled code after kTrust units, none of which was slow; where others may take from a
// reserve, only if units take less than kShort cycles.
constexpr uint32_t kProof = 64, kImpatience = 64, kTrust = 1 << 13, kShort = 256;
// A unit that takes so many times as long as usual, and kShort cycles, may have waited.
constexpr uint64_t kUsual = 4;
// A member tells the team of so many units at once, and of fewer at the loop's end.
constexpr uint32_t kWorthTelling = 256;

atomic<uint64_t>& reserve_of(Team* team, int32_t tid, uint64_t loop) {
  return team->members[tid].worksharing.reserves[loop % kLoopSlots].word;
}

/// Takes `size` units from the front of a reserve. False: they are no longer there.
bool take_from(atomic<uint64_t>& reserve, uint64_t seen, uint32_t size, UnitRange* taken) {
  UnitRange range = LoopReserve::unpack(seen);
  *taken = {range.first, range.first + size};
  preemption_point();
  // relaxed: the word is all that passes between the members; the end of the loop orders what iterations do.
  return reserve.compare_exchange_strong(seen, LoopReserve::pack({range.first + size, range.end}),
                                         std::memory_order_relaxed);
}

class Taker {
public:
  explicit Taker(Member* member)
      : member_(member), team_(member->team), loop_(member->worksharing.loop.front), memory_(loop_.memory),
        front_(member->worksharing.loop.shared->taken),
        reserve_(reserve_of(team_, member->tid, member->worksharing.loop.number)), last_(loop_.units - 1),
        size_(static_cast<uint64_t>(team_->size())), slow_(kSlow + kSlowPerMember * size_) {}

  bool take(Worker* worker, UnitRange* taken) {
    uint64_t now = cycle_counter();
    if (loop_.piece != 0) note_piece(now);
    return take_reserved(taken) || take_off_front(taken) || take_last(worker, taken);
  }

private:
  /// Notes what the units of the last piece took.
  void note_piece(uint64_t now) {
    uint64_t took = now - loop_.since, cost = took / loop_.piece;
    loop_.gained += loop_.piece;
    if (loop_.piece == 1 && took >= longest_without_wait()) remember(true);
    if (memory_.cost != 0) cost = (cost + 3 * uint64_t{memory_.cost}) / 4;
    memory_.cost = cost == 0 ? 1 : cost > LoopMemory::kMostCost ? LoopMemory::kMostCost : static_cast<uint32_t>(cost);
    loop_.has_begun = true;
  }

  /// A unit that took longer may have waited for another one. A member's first unit finds its data in other caches.
  uint64_t longest_without_wait() const {
    if (!loop_.has_begun || memory_.experience >= kTrust) return slow_;
    uint64_t usual = kUsual * uint64_t{memory_.cost};
    return usual > kShort ? usual : kShort;
  }

  /// Tells the team what is new about the loop, and learns what others found. All members read the line.
  void remember(bool forgets) {
    // relaxed, both: hints
    uint64_t word = loop_.shared_memory->load(std::memory_order_relaxed);
    LoopMemory known = LoopMemory::unpack(word);
    if (known.tag != memory_.tag) known = LoopMemory{.tag = memory_.tag};
    if (memory_.cost == 0) memory_.cost = known.cost;
    // A loop in any order that was proved stays proved: what a member has in reserve can be taken from it.
    bool any_order = member_->worksharing.loop.schedule.any_order;
    uint32_t experience = !forgets                                  ? known.experience + loop_.gained
                          : any_order && known.experience >= kProof ? kProof
                                                                    : 0;
    memory_.experience = known.experience = std::min(experience, kTrust);
    if (known.cost < memory_.cost / 4 || known.cost / 4 > memory_.cost) known.cost = memory_.cost;
    if (known.pack() == word || // relaxed: as above; if another member is quicker, there is a next time
        loop_.shared_memory->compare_exchange_strong(word, known.pack(), std::memory_order_relaxed))
      loop_.gained = 0;
  }

  bool take_reserved(UnitRange* taken) {
    for (;;) {
      uint64_t seen = reserve_.load(std::memory_order_relaxed); // relaxed: as in take_from()
      if (LoopReserve::unpack(seen).size() == 0) return false;
      if (take_from(reserve_, seen, 1, taken)) return true;
    }
  }

  /// Takes a batch off the front. False: there is at most the last unit.
  bool take_off_front(UnitRange* taken) {
    if (loop_.gained >= kWorthTelling) remember(false);
    bool any_order = member_->worksharing.loop.schedule.any_order;
    if (CHOMP_UNLIKELY(memory_.experience < kProof) && take_unproved(taken)) return true;
    // How far the front is, if others have taken as much as this member. The end is looked for before it is passed.
    uint64_t next = loop_.next + uint64_t{loop_.batch} * (size_ - 1);
    if (next >= last_) {
      next = LoopFront::next(front_.load(std::memory_order_relaxed)); // relaxed: an estimate
      if (next >= last_) {
        remember(false);
        return false;
      }
    }
    bool whole = memory_.experience >= kTrust && (memory_.cost < kShort || !any_order);
    uint32_t size = whole || any_order ? batch_size(last_ - static_cast<uint32_t>(next)) : 1;
    return take_batch(size, !whole && size > 1, taken);
  }

  bool take_batch(uint32_t size, bool fills, UnitRange* taken) {
    if (fills) {
      // relaxed: ordered by the release below
      reserve_.store(LoopReserve::kBeingFilled, std::memory_order_relaxed);
      // release: pairs with acquire in take_last(): a member that sees the front's end sees that we fill our reserve.
      if (!loop_.reserves) front_.fetch_or(LoopFront::kReserves, std::memory_order_release);
      loop_.reserves = true;
    }
    preemption_point();
    // release: pairs as above; carries on what the bit's setter released.
    uint64_t word = front_.fetch_add(size, std::memory_order_release);
    uint32_t first = LoopFront::next(word), end = first + size < last_ ? first + size : last_;
    loop_.next = first + size;
    loop_.batch = size;
    preemption_point();
    if (first >= last_) {
      if (fills) reserve_.store(0, std::memory_order_relaxed); // relaxed: nothing is in it
      return false;
    }
    *taken = {first, fills ? first + 1 : end};
    // relaxed: as in take_from()
    if (fills) reserve_.store(LoopReserve::pack({first + 1, end}), std::memory_order_relaxed);
    return true;
  }

  /// Takes one unit, while the loop is not proved. If another member executes the unit before, it waits for a while, so
  /// that it can be seen whether that one ends before a later one begins.
  bool take_unproved(UnitRange* taken) {
    uint64_t waits_since = cycle_counter();
    // relaxed, all: as in take_from()
    uint64_t seen = front_.load(std::memory_order_relaxed);
    bool alone = LoopFront::next(seen) == loop_.next;
    // A proof is for batches. Units that take longer than the front's line are single for now, without one.
    bool waits = !alone && loop_.impatience == 0 && memory_.cost != 0 && memory_.cost < slow_ / 4;
    if (!alone) loop_.gained = 0;
    for (Backoff backoff;;) {
      if (loop_.gained == 0 || memory_.experience + loop_.gained >= kProof) remember(false);
      if (LoopFront::next(seen) >= last_ || memory_.experience >= kProof) return false;
      if (waits && cycle_counter() - waits_since < slow_) {
        backoff.pause();
        uint64_t again = front_.load(std::memory_order_relaxed);
        if (again != seen) waits_since = cycle_counter();
        seen = again;
        continue;
      }
      if (!waits) return take_batch(1, false, taken);
      if (!front_.compare_exchange_strong(seen, seen + 1, std::memory_order_relaxed)) continue;
      if (waits) {
        loop_.impatience = kImpatience;
        remember(true);
      }
      if (loop_.impatience > 0) --loop_.impatience;
      loop_.batch = 1;
      loop_.next = LoopFront::next(seen) + 1;
      *taken = {loop_.next - 1, loop_.next};
      return true;
    }
  }

  uint32_t batch_size(uint32_t left) const {
    uint64_t cost = memory_.cost;
    if (cost == 0 || cost > slow_) return 1;
    uint64_t most = (kBatch + kBatchPerMember * size_) / cost, least = most / kPartOfBatch;
    uint64_t size = left / (kPartOfRest * size_);
    if (size < least) size = least;
    if (size > most) size = most;
    if (loop_.batch != 0 && size > uint64_t{loop_.batch} * kMostGrowth) size = uint64_t{loop_.batch} * kMostGrowth;
    if (size >= left) return left;
    if (size >= 4 * kRound) size &= ~uint64_t{kRound - 1};
    return size == 0 ? 1 : static_cast<uint32_t>(size);
  }

  /// Nobody takes the last unit while a member has units in reserve: this member executes them, if it may, or waits.
  bool take_last(Worker* worker, UnitRange* taken) {
    for (Backoff backoff;;) {
      // acquire: pairs with release in take_batch().
      uint64_t seen = front_.load(std::memory_order_acquire);
      if ((seen & LoopFront::kOver) != 0) return false;
      switch ((seen & LoopFront::kReserves) != 0 ? take_from_others(taken) : Others::kNothing) {
      case Others::kTaken: return true;
      case Others::kNothing:
        preemption_point();
        // relaxed: as in take_from()
        if ((front_.fetch_or(LoopFront::kOver, std::memory_order_relaxed) & LoopFront::kOver) != 0) return false;
        *taken = {last_, last_ + 1};
        return true;
      case Others::kLater:
        if (cancel_requested(worker, CancelKind::kLoop) || cancel_requested(worker, CancelKind::kParallel))
          return false;
        backoff.pause();
      }
    }
  }

  enum class Others { kNothing, kTaken, kLater };

  /// Takes the first unit of another member's reserve.
  Others take_from_others(UnitRange* taken) {
    auto outcome = Others::kNothing;
    for (int32_t step = 1; step < team_->size(); ++step) {
      int32_t tid = (member_->tid + step) % team_->size();
      atomic<uint64_t>& reserve = reserve_of(team_, tid, member_->worksharing.loop.number);
      uint64_t seen = reserve.load(std::memory_order_relaxed); // relaxed: as in take_from()
      if (seen != LoopReserve::kBeingFilled && LoopReserve::unpack(seen).size() == 0) continue;
      outcome = Others::kLater;
      if (seen != LoopReserve::kBeingFilled && take_from(reserve, seen, 1, taken)) return Others::kTaken;
    }
    return outcome;
  }

  Member* const member_;
  Team* const team_;
  MemberFront& loop_;
  LoopMemory& memory_;
  atomic<uint64_t>& front_;
  atomic<uint64_t>& reserve_;
  const uint32_t last_; // the last unit
  const uint64_t size_, slow_;
};

} // namespace

// ---- What loop.cpp and worksharing.cpp call -------------------------------------------------------------------------

void front_enter(Member* member) {
  MemberFront& loop = member->worksharing.loop.front;
  const LoopRange& range = member->worksharing.loop.range;
  uint64_t chunk = member->worksharing.loop.schedule.chunk;
  loop = MemberFront{};
  uint32_t tag;
  loop.shared_memory = &member->team->worksharing.loop_memories.find(range.site, &tag);
  loop.memory = LoopMemory::unpack(loop.shared_memory->load(std::memory_order_relaxed)); // relaxed: a hint
  if (loop.memory.tag != tag) loop.memory = LoopMemory{.tag = tag};
  loop.unit = range.last / chunk < kMostUnits ? chunk : (range.last / chunk / kMostUnits + 1) * chunk;
  loop.units = static_cast<uint32_t>(range.last / loop.unit) + 1;
}

bool front_take(Worker* worker, IndexBlock<uint64_t>* taken) {
  Member* member = worker->member;
  MemberFront& loop = member->worksharing.loop.front;
  UnitRange units;
  if (!Taker(member).take(worker, &units)) return false;
  loop.piece = units.size();
  loop.since = cycle_counter();
  *taken = {units.first * loop.unit,
            units.end == loop.units ? member->worksharing.loop.range.last : units.end * loop.unit - 1};
  return true;
}

void front_leave(Member* member) {
  atomic<uint64_t>& reserve = reserve_of(member->team, member->tid, member->worksharing.loop.number);
  // relaxed, both: released by RingPosition::left. Something is left in it if the loop was cancelled.
  if (CHOMP_UNLIKELY(reserve.load(std::memory_order_relaxed) != 0)) reserve.store(0, std::memory_order_relaxed);
}

} // namespace chomp
