// See loop_front.h.
#include "runtime/loops/loop_front.h"

#include <algorithm>
#include <initializer_list>

#include "runtime/base/backoff.h"
#include "runtime/base/policy.h"
#include "runtime/base/preemption.h"
#include "runtime/core/team.h"
#include "runtime/core/worker.h"
#include "runtime/tasks/cancel.h"

namespace chomp {

namespace {

constexpr uint64_t kMostUnits = uint64_t{1} << 30;

// Of a loop whose units take longer, each is taken off the front alone: a few transfers of its line, which goes from
// member to member. Cycles, as what a batch should take, so that taking it costs little.
constexpr uint64_t slow_unit(uint64_t members) { return (6 + members) * policy::kTransferCycles; }
constexpr uint64_t full_batch(uint64_t members) { return (32 + 2 * members) * policy::kTransferCycles; }
// At the end a batch is this part of what is left for each member, but not less than that part of a usual batch: else
// the members would only wait for the front.
constexpr uint64_t kPartOfRest = 2, kPartOfBatch = 4;
// A batch is at most so many times as long as the one before: the next iterations may be of another kind.
constexpr uint32_t kMostGrowth = 16;
// Bounds of long batches are multiples of this many units, for code that works on whole vectors.
constexpr uint32_t kRound = 16;

// Experience with a loop, in units. A loop is proved when each of its first kProof has been seen to end before a later
// one began, or so many in a row. If a member's wait for such an end was in vain, nobody waits for so many further
// units of each member. Whole batches are handed to the compiled code after kTrust further units, none of which was
// slow; of shares, from which others may take, only if units take less than kShort cycles.
constexpr uint32_t kProof = LoopMemory::kMostProved, kImpatience = policy::kUnitsPerTelling / 4,
                   kTrust = std::min(32 * policy::kUnitsPerTelling, LoopMemory::kMostQuick),
                   kShort = policy::kTransferCycles;
// Of each execution of a loop that was met before, members wait for a proof for about this part; see most_waiting().
constexpr uint64_t kPartOfLoop = policy::kExpectedExecutions / 8;
// A chip may hold units in any order once so many in a row are proved, or as many as a member gets if these are fewer.
constexpr uint32_t kProofOfChip = policy::kUnitsPerTelling / 16;
// A unit that takes so many times as long as usual, and kShort cycles, may have waited.
constexpr uint64_t kUsual = 4;

// A member that finds its share empty leaves others' to them for so many looks, of some 100 ns each, unless half of
// what is left is worth moving, in cycles; what its owner has not come for, in any case.
constexpr uint32_t kLooks = 2 * policy::kLooksInPassing;
constexpr uint64_t kWorthMoving = 4 * policy::kTransferCycles;

atomic<uint64_t>& share_of(Team* team, int32_t tid, uint64_t loop) {
  return team->members[tid].worksharing.shares[loop % kLoopSlots].word;
}

// A loop of fewer units for each member has no fronts of chips.
constexpr uint64_t kFewUnits = 4;

atomic<uint64_t>& chip_front(Team* team, int32_t domain, uint64_t loop) {
  return team->members[team->domain_lines[domain].first_member].worksharing.shares[loop % kLoopSlots].chip;
}

uint64_t members_of_chip(const Team* team) {
  auto size = static_cast<uint64_t>(team->size()), chips = static_cast<uint64_t>(team->domains_in_use);
  return (size + chips - 1) / chips;
}

/// Whether the member may take single units off its chip's front. In any order only: there others may take what is left
/// if it is the only one of its chip that does so, while its unit waits for the next one. Not if it were alone there,
/// since a unit could not wait for the next one then.
bool has_chip_front(const Member* member, const MemberFront& loop) {
  const Team* team = member->team;
  if (loop.units <= kFewUnits * static_cast<uint64_t>(team->size())) return false;
  for (int32_t tid = 0; tid < team->size(); ++tid)
    if (tid != member->tid && team->shape.domain_of_member[tid] == member->domain) return true;
  return false;
}

// Members of a chip that take units together have a bit each in a word.
constexpr int32_t kMostTogether = 64;

/// On several chips members take units by their chip, unless the team knows that the loop can be dealt, or that members
/// get whole batches.
void join_chip(Member* member, MemberFront& loop) {
  Team* team = member->team;
  if (team->domains_in_use == 1 || team->size() <= team->domains_in_use) return;
  bool any_order = member->worksharing.loop.schedule.any_order;
  if (loop.memory.proved >= std::min(kProof, loop.units - 1) && (any_order || loop.memory.quick >= kTrust)) return;
  uint64_t number = member->worksharing.loop.number;
  int32_t first_member = team->domain_lines[member->domain].first_member;
  if (member->tid - first_member >= kMostTogether) return;
  if (any_order && !has_chip_front(member, loop)) return;
  loop.chip = &team->members[first_member].worksharing.shares[number % kLoopSlots];
}

class Taker {
public:
  explicit Taker(Member* member)
      : member_(member), team_(member->team), loop_(member->worksharing.loop.front), memory_(loop_.memory),
        front_(member->worksharing.loop.shared->taken), number_(member->worksharing.loop.number),
        share_(share_of(team_, member->tid, number_)), last_(loop_.units - 1),
        size_(static_cast<uint64_t>(team_->size())), slow_(slow_unit(size_)) {}

  bool take(Worker* worker, UnitRange* taken) {
    if (loop_.over) return false; // lastprivate: nothing after the last unit
    uint64_t now = cycle_counter();
    if (loop_.piece != 0) note_piece(now);
    if (loop_.gained >= policy::kUnitsPerTelling) remember(false);
    if (loop_.chip != nullptr && take_by_chip(worker, taken)) return true;
    return (!loop_.dealt && loop_.chip == nullptr && take_off_front(taken)) || (loop_.dealt && take_own(taken)) ||
           take_rest(worker, taken);
  }

private:
  /// Notes what the units of the last piece took.
  void note_piece(uint64_t now) {
    uint64_t took = now - loop_.since, cost = took / loop_.piece;
    bool later_ones = later_ones_begun();
    loop_.cycles += took, loop_.done += loop_.piece;
    if (proved()) loop_.gained += loop_.piece;
    if (!later_ones) loop_.row.end = loop_.next;
    if (later_ones && loop_.piece == 1 && took >= longest_without_wait()) remember(true);
    note_cost(cost);
    loop_.has_begun = true;
  }

  /// A unit of this member's or of another one took so long.
  void note_cost(uint64_t cost) {
    if (memory_.cost != 0) cost = (cost + 3 * uint64_t{memory_.cost}) / 4;
    memory_.cost = LoopMemory::as_cost(cost);
  }

  /// A unit that took longer may have waited for another one. A member's first unit finds its data in other caches.
  uint64_t longest_without_wait() const {
    if (!loop_.has_begun || memory_.quick >= kTrust) return slow_;
    uint64_t usual = kUsual * uint64_t{memory_.cost};
    return usual > kShort ? usual : kShort;
  }

  /// A unit cannot have waited for a later one if none has begun.
  bool later_ones_begun() const {
    // relaxed: what the unit waited for has happened before.
    return loop_.dealt || loop_.next == 0 || LoopFront::begun(front_.load(std::memory_order_relaxed)) != loop_.next;
  }

  /// Tells the team what is new about the loop, and learns what others found. All members read the line. `over`: the
  /// caller has taken the last unit; it alone tells what the execution leaves.
  void remember(bool forgets, bool over = false) {
    // relaxed, all: nothing else is read by what they say.
    uint64_t word = loop_.shared_memory->load(std::memory_order_relaxed);
    LoopMemory known;
    do {
      known = LoopMemory::unpack(word);
      if (known.tag != memory_.tag) known = LoopMemory{.tag = memory_.tag};
      if (memory_.cost == 0) memory_.cost = known.cost;
      if (loop_.row.size() >= kProof || (loop_.row.first <= known.proved && loop_.row.end > known.proved))
        known.proved = std::min(loop_.row.end, kProof), known.in_vain = 0;
      if (loop_.row.size() >= to_hold()) known.holds = 1;
      known.quick = forgets ? 0 : std::min(known.quick + loop_.gained, kTrust);
      if (known.cost == 0 || proved() || (over && loop_.done == 0)) known.note_cost(memory_.cost);
      if (over && !proved()) loop_.tell(known, LoopFront::from(front_.load(std::memory_order_relaxed)) != 0);
    } while (known.pack() != word &&
             !loop_.shared_memory->compare_exchange_weak(word, known.pack(), std::memory_order_relaxed));
    learn();
    loop_.gained = 0;
  }

  /// Learns what others found.
  void learn() {
    // relaxed: as in remember()
    LoopMemory known = LoopMemory::unpack(loop_.shared_memory->load(std::memory_order_relaxed));
    if (known.tag != memory_.tag) return;
    memory_.proved = known.proved;
    memory_.quick = known.quick;
    memory_.holds = known.holds;
  }

  bool any_order() const { return member_->worksharing.loop.schedule.any_order; }
  /// How many units have to be proved before the loop is.
  uint32_t to_prove() const { return std::min(kProof, last_); }
  bool proved() const { return loop_.dealt || memory_.proved >= to_prove(); }
  uint32_t to_hold() const {
    return static_cast<uint32_t>(std::clamp(loop_.units / size_, kFewUnits, uint64_t{kProofOfChip}));
  }
  /// Whether the team has to know of the member's row at once.
  bool tells() const { return loop_.row.end >= to_prove() || (memory_.holds == 0 && loop_.row.size() >= to_hold()); }
  /// Whether the member's row proves more than the team knows.
  bool is_news() const { return loop_.row.first <= memory_.proved && loop_.row.end > memory_.proved; }
  bool gets_whole_batches() const { return memory_.quick >= kTrust && (memory_.cost < kShort || !any_order()); }

  /// Whether there are units at the front, as `word` says, besides the last one.
  bool has_units(uint64_t word) {
    if ((word & LoopFront::kDealt) == 0) return LoopFront::next(word) < last_;
    loop_.dealt = true;
    loop_.from = LoopFront::from(word);
    return false;
  }

  /// False: there is at most the last unit, or the loop is proved, or dealt.
  bool take_by_chip(Worker* worker, UnitRange* taken) {
    if (loop_.dealt) return false;
    bool was_last = loop_.next != 0 && loop_.row.end == loop_.next; // no later unit had begun when its own ended
    if (was_last && tells()) remember(false);
    if (loop_.proves) learn();
    if (any_order() && proved()) {
      loop_.chip = nullptr; // to be dealt
      return false;
    }
    loop_.proves = proves();
    // relaxed: as in take_batch(). The first unit waits for none.
    if (loop_.proves && (was_last || LoopFront::next(front_.load(std::memory_order_relaxed)) == 0))
      return take_batch(1, taken);
    if (is_news()) remember(false);
    bool holds = any_order() && memory_.holds != 0 && !learns();
    return holds ? take_off_chip(worker, taken) : take_with_chip(taken);
  }

  /// Whether this member looks at its unit's end if a later one has begun: until a chip may hold units, and while it
  /// pays to prove the loop. For others that would only move the front's line.
  bool proves() {
    if (any_order() && memory_.holds == 0) return !loop_.in_vain;
    if (!learns() || !proof_pays(loop_.row.end)) return false;
    uint64_t word = front_.load(std::memory_order_relaxed); // relaxed: as in take_batch()
    loop_.in_vain = LoopFront::next(word) < LoopFront::from(word);
    return !loop_.in_vain;
  }

  /// Whether members that take by their chip prove the loop, now or as soon as they get to where the proof goes on.
  /// What units took in the last execution decides: the first ones of this one may be of another kind.
  bool learns() {
    if (loop_.piece == 0) loop_.learns = loop_.met_before && proof_pays(memory_.proved);
    return loop_.learns && !loop_.in_vain && !proved();
  }

  /// Whether members that take for their chip wait for a proof.
  bool gives_time(uint64_t word) const { return (any_order() && memory_.holds == 0) || waits_for_proof(word); }

  /// Gives the unit that began last time to end before a later one begins.
  void wait_for_proof() {
    if (memory_.cost == 0 || memory_.cost >= slow_) return;
    uint64_t began = cycle_counter(), since = began, longest = std::max(slow_, kUsual * memory_.cost);
    // relaxed, both: as in take_batch()
    uint64_t seen = front_.load(std::memory_order_relaxed);
    for (Backoff backoff; has_units(seen) && !proved() && gives_time(seen); learn()) {
      uint64_t now = cycle_counter();
      bool spent = has_got_on(seen) && now - began >= (memory_.holds == 0 ? kProofOfChip * longest : most_waiting());
      loop_.in_vain = spent || now - since >= longest;
      if (loop_.in_vain) return end_waits(seen, spent ? last_ : LoopFront::next(seen) + kImpatience * size_);
      backoff.pause();
      uint64_t again = front_.load(std::memory_order_relaxed);
      if (again != seen) since = cycle_counter();
      seen = again;
    }
  }

  /// Takes a unit off the front of the member's chip. The member that finds nothing there fetches more for the chip.
  /// False: there is at most the last unit, or the loop is dealt.
  bool take_off_chip(Worker* worker, UnitRange* taken) {
    atomic<uint64_t>& chip = loop_.chip->chip;
    loop_.next = 0; // units are held before the front
    for (Backoff backoff;;) {
      // relaxed, all: as in take_batch()
      uint64_t seen = chip.load(std::memory_order_relaxed);
      if (ChipFront::unpack(seen).size() != 0) {
        preemption_point();
        UnitRange left = ChipFront::unpack(chip.fetch_add(1, std::memory_order_relaxed));
        if (left.size() == 0) continue;
        *taken = {left.first, left.first + 1};
        return true;
      }
      if (ChipFront::is_being_filled(seen)) {
        if (cancel_requested(worker, CancelKind::kLoop) || cancel_requested(worker, CancelKind::kParallel))
          return false;
        backoff.pause();
        continue;
      }
      if (!has_units(front_.load(std::memory_order_relaxed))) return false;
      if (chip.compare_exchange_strong(seen, ChipFront::kBeingFilled, std::memory_order_relaxed))
        return fill_chip(chip, taken);
    }
  }

  bool fill_chip(atomic<uint64_t>& chip, UnitRange* taken) {
    preemption_point();
    uint64_t word = front_.load(std::memory_order_relaxed); // relaxed, all others: as in take_batch()
    UnitRange got{0, 0};
    if (has_units(word)) {
      uint32_t size = chip_batch_size(last_ - LoopFront::next(word));
      // release: pairs with acquire in take_rest(), which sees the chip's mark where it sees the front exhausted.
      word = front_.fetch_add(size, std::memory_order_release);
      if (has_units(word)) got = {LoopFront::next(word), std::min(LoopFront::next(word) + size, last_)};
    }
    preemption_point();
    *taken = {got.first, got.first + 1};
    chip.store(ChipFront::pack({got.first + 1, got.end}), std::memory_order_relaxed);
    return got.size() != 0;
  }

  /// How many of `left` units a chip gets at once: what each of its members would get, and not more than a part of what
  /// is left for each chip. Long units come singly, so that no chip has some when others have none.
  uint32_t chip_batch_size(uint32_t left) const {
    uint64_t members = members_of_chip(team_), size = members;
    if (memory_.cost > slow_) return 1;
    if (memory_.cost != 0) {
      size = members * (full_batch(members) / memory_.cost + 1);
      size = std::min(size, left / (kPartOfRest * static_cast<uint64_t>(team_->domains_in_use)));
    }
    return static_cast<uint32_t>(std::min<uint64_t>(left, std::max(size, members)));
  }

  /// Takes a unit off the front, for those members of the chip that come meanwhile, too; or waits for its own. So each
  /// unit that is taken is begun at once. False: there is at most the last unit.
  bool take_with_chip(UnitRange* taken) {
    uint64_t own = uint64_t{1} << (member_->tid - first_of_chip());
    preemption_point();
    // release: pairs with acquire in take_for_others(): what that gives comes after the store below, of the last time.
    if (loop_.chip->takers.fetch_or(own, std::memory_order_release) == 0) {
      // Where the proof goes on far from the loop's start, each chip takes units once, so that somebody begins a row.
      if (loop_.proves && (loop_.next != 0 || memory_.proved <= 2 * size_)) wait_for_proof();
      preemption_point();
      bool has = take_batch(1, taken);
      take_for_others(own, has);
      if (!loop_.proves) loop_.next = 0;
      return has;
    }
    atomic<uint32_t>& given = given_to(member_->tid);
    uint32_t end; // of the unit
    // acquire: pairs with release in take_for_others(): a member that gets no unit sees why.
    for (Backoff backoff; (end = given.load(std::memory_order_acquire)) == 0;) backoff.pause();
    given.store(0, std::memory_order_relaxed); // relaxed: ordered by fetch_or()
    *taken = {end - 1, end};
    if (end == LoopShare::kNothing) {
      has_units(front_.load(std::memory_order_relaxed)); // relaxed: as in take_batch(). The loop may be dealt.
      return false;
    }
    note_taken(end - 1, 1);
    if (!loop_.proves) loop_.next = 0; // a look at the front would only move its line
    return true;
  }

  /// Gives a unit to each member of the chip that waits for one, if there are units.
  void take_for_others(uint64_t own, bool has_more) {
    preemption_point();
    // acquire: pairs with release in take_with_chip(). A member that comes from now on takes for itself.
    uint64_t others = loop_.chip->takers.exchange(0, std::memory_order_acquire) & ~own;
    UnitRange units{0, 0};
    auto count = static_cast<uint32_t>(__builtin_popcountll(others));
    if (has_more && count != 0 && !take_units(count, &units)) units = {0, 0};
    for (; others != 0; others &= others - 1) {
      preemption_point();
      // release: pairs with acquire in take_with_chip()
      given_to(first_of_chip() + __builtin_ctzll(others))
          .store(units.size() != 0 ? ++units.first : LoopShare::kNothing, std::memory_order_release);
    }
  }

  int32_t first_of_chip() const { return team_->domain_lines[member_->domain].first_member; }
  atomic<uint32_t>& given_to(int32_t tid) const {
    return team_->members[tid].worksharing.shares[number_ % kLoopSlots].given;
  }

  /// Takes a batch off the front. False: there is at most the last unit, or the loop is dealt.
  bool take_off_front(UnitRange* taken) {
    if (CHOMP_UNLIKELY(!proved()) && take_unproved(taken)) return true;
    if (any_order()) {
      deal();
      return false;
    }
    // How far the front is, if others have taken as much as this member. The end is looked for before it is passed.
    uint64_t next = loop_.next + uint64_t{loop_.batch} * (size_ - 1);
    if (next >= last_) {
      next = LoopFront::next(front_.load(std::memory_order_relaxed)); // relaxed: an estimate
      if (next >= last_) return false;
    }
    return take_batch(gets_whole_batches() ? batch_size(last_ - static_cast<uint32_t>(next), size_) : 1, taken);
  }

  bool take_batch(uint32_t size, UnitRange* taken) {
    bool has = take_units(size, taken);
    note_taken(taken->first, size);
    return has;
  }

  bool take_units(uint32_t size, UnitRange* taken) {
    preemption_point();
    // relaxed: the word is all that passes between the members; the end of the loop orders what iterations do.
    uint64_t word = front_.fetch_add(size, std::memory_order_relaxed);
    *taken = {LoopFront::next(word), std::min(LoopFront::next(word) + size, last_)};
    return has_units(word);
  }

  void note_taken(uint32_t first, uint32_t size) {
    if (first != loop_.row.end) {
      if (is_news() && !proved()) remember(false); // others came first since the look at the front
      loop_.row = {first, first};
    }
    loop_.next = first + size;
    loop_.batch = size;
  }

  /// All units that nobody has become the members' shares, unless another member has done so.
  void deal() {
    uint64_t seen = front_.load(std::memory_order_relaxed); // relaxed, both: as in take_batch()
    while (has_units(seen)) {
      preemption_point();
      if (front_.compare_exchange_weak(seen, LoopFront::deal(seen), std::memory_order_relaxed))
        seen = LoopFront::deal(seen);
    }
  }

  /// Takes one unit, while the loop is not proved. If another member executes the unit before, it waits for a while, so
  /// that it can be seen whether that one ends before a later one begins.
  bool take_unproved(UnitRange* taken) {
    uint64_t began = cycle_counter(), waits_since = began;
    // relaxed, both: as in take_batch()
    uint64_t seen = front_.load(std::memory_order_relaxed);
    bool alone = LoopFront::next(seen) == loop_.next, waits = !alone && waits_for_proof(seen), waited = waits;
    bool in_vain = false, spent = false;
    for (Backoff backoff;;) {
      if (!alone || tells()) remember(false);
      if (!has_units(seen) || proved()) return false;
      uint64_t now = cycle_counter();
      in_vain = waits && now - waits_since >= slow_;
      spent = waits && loop_.met_before && has_got_on(seen) && now - began >= most_waiting();
      if (!waits || in_vain || spent) break;
      backoff.pause();
      uint64_t again = front_.load(std::memory_order_relaxed);
      if (again == seen) continue;
      now = cycle_counter();
      if (uint32_t begun = LoopFront::next(again) - LoopFront::next(seen); begun != 0) {
        note_cost((now - waits_since) / begun);
        waits_since = now;
      }
      seen = again;
      waits = waits_for_proof(seen);
    }
    if (in_vain) remember(true);
    if (waited) end_waits(seen, spent ? last_ : LoopFront::next(seen) + kImpatience * size_);
    return take_batch(1, taken);
  }

  bool waits_for_proof(uint64_t word) const {
    return LoopFront::next(word) >= LoopFront::from(word) && proof_pays(LoopFront::next(word));
  }

  /// Nobody waits for a proof before that unit: a wait was in vain, does not pay, or was long enough for one execution.
  void end_waits(uint64_t word, uint64_t until) {
    until = std::min(until, uint64_t{last_});
    while ((word & LoopFront::kDealt) == 0 && LoopFront::from(word) <= LoopFront::next(word)) {
      preemption_point();
      // relaxed, both: as in take_batch()
      if (front_.compare_exchange_weak(word, LoopFront::with_from(word, static_cast<uint32_t>(until)),
                                       std::memory_order_relaxed))
        break;
    }
  }

  /// Whether the next execution begins to wait further on than this one did.
  bool has_got_on(uint64_t word) const {
    return LoopFront::next(word) >= memory_.proved + std::min<uint64_t>(memory_.proved, size_);
  }

  /// How long members wait in one execution of a loop that was met before. The next one goes on where it ends.
  uint64_t most_waiting() const {
    if (last_ >= kTrust && memory_.cost < kShort) return UINT64_MAX; // it gets whole batches in this execution
    return last_ * std::max(memory_.cost / size_, policy::kTransferCycles) / kPartOfLoop;
  }

  /// Whether it is worth waiting until the unit before `next` has ended: also for the last that are proved, since the
  /// first units that somebody executes alone have to be among them. The proof costs the time of each unit that is left
  /// to prove. Before it a unit costs a chip a transfer; after it, its time divided by the chip's members. (A team
  /// whose members do not take by their chip counts as one chip.) That counts for the rest of this execution, and for
  /// all of further ones if the loop was met before.
  bool proof_pays(uint32_t next) const {
    if (memory_.rests(number_)) return false;
    uint64_t chips = loop_.chip != nullptr ? static_cast<uint64_t>(team_->domains_in_use) : 1;
    uint64_t cost = loop_.met_before ? loop_.usual_cost : memory_.cost;
    uint64_t shared = cost / (chips == 1 ? size_ : members_of_chip(team_));
    uint64_t left = to_prove() - std::min(to_prove(), next);
    if (cost == 0 || shared >= policy::kTransferCycles || next + 2 * size_ < memory_.proved) return false;
    uint64_t units =
        uint64_t{last_} * (loop_.met_before ? policy::kExpectedExecutions : 1) - std::max(next, to_prove());
    uint64_t untrusted = any_order() ? 0 : kTrust - memory_.quick; // in order these gain nothing
    return units > untrusted && (policy::kTransferCycles - shared) * (units - untrusted) / chips >= cost * left;
  }

  /// How many of `left` units, of which so many members take.
  uint32_t batch_size(uint32_t left, uint64_t thieves) const {
    uint64_t cost = memory_.cost;
    if (cost == 0 || cost > slow_) return 1;
    uint64_t most = full_batch(size_) / cost, least = most / kPartOfBatch;
    uint64_t size = left / (kPartOfRest * thieves);
    if (size < least) size = least;
    if (size > most) size = most;
    if (loop_.batch != 0 && size > uint64_t{loop_.batch} * kMostGrowth) size = uint64_t{loop_.batch} * kMostGrowth;
    if (size >= left) return left;
    if (size >= 4 * kRound) size &= ~uint64_t{kRound - 1};
    return size == 0 ? 1 : static_cast<uint32_t>(size);
  }

  /// What a word says of the share of that member.
  UnitRange left_of(uint64_t word, int32_t tid) const {
    if (LoopShare::is_claimed(word)) return LoopShare::unpack(word);
    if (word > number_ || loop_.from == last_) return {0, 0};
    IndexBlock<uint32_t> share =
        balanced_block<uint32_t>(last_ - loop_.from - 1, static_cast<uint32_t>(tid), static_cast<uint32_t>(size_));
    if (share.empty()) return {0, 0};
    return {loop_.from + share.first, loop_.from + share.last + 1};
  }

  bool take_own(UnitRange* taken) {
    uint64_t seen = share_.load(std::memory_order_relaxed); // relaxed, both: as in take_batch()
    for (;;) {
      UnitRange left = left_of(seen, member_->tid);
      if (left.size() == 0) return false;
      uint32_t size = gets_whole_batches() ? batch_size(left.size(), 1) : 1;
      preemption_point();
      if (!share_.compare_exchange_strong(seen, LoopShare::claimed({left.first + size, left.end}),
                                          std::memory_order_relaxed))
        continue;
      loop_.batch = size;
      *taken = {left.first, left.first + size};
      return true;
    }
  }

  /// Takes of others' shares or, if nothing is left there, the last unit.
  bool take_rest(Worker* worker, UnitRange* taken) {
    // Of a small loop one member tells for all.
    bool small = loop_.dealt && last_ - loop_.from < policy::kUnitsPerTelling / 8 * size_;
    if (!small && (!loop_.dealt || loop_.gained >= policy::kUnitsPerTelling / 8)) remember(false);
    Backoff backoff;
    for (uint32_t look = 0;; ++look) {
      if ((front_.load(std::memory_order_acquire) & LoopFront::kOver) != 0) return false; // acquire: see fill_chip()
      Others found = any_order() ? take_from_chips(taken) : Others::kNothing;
      if (found != Others::kTaken && loop_.dealt) found = std::max(found, take_from_others(look, taken));
      switch (found) {
      case Others::kTaken: return true;
      case Others::kNothing:
        preemption_point();
        // relaxed: as in take_batch()
        if ((front_.fetch_or(LoopFront::kOver, std::memory_order_relaxed) & LoopFront::kOver) != 0) return false;
        if (small) loop_.gained = last_ - loop_.from;
        if (small || !loop_.dealt) remember(false, true);
        loop_.over = true;
        *taken = {last_, last_ + 1};
        return true;
      case Others::kLater:
        if (cancel_requested(worker, CancelKind::kLoop) || cancel_requested(worker, CancelKind::kParallel))
          return false;
        backoff.pause();
      }
    }
  }

  enum class Others { kNothing, kLater, kTaken };

  /// The first unit of any chip's.
  Others take_from_chips(UnitRange* taken) {
    int32_t chips = team_->domains_in_use;
    if (chips == 1 || (loop_.dealt && loop_.from == 0)) return Others::kNothing;
    bool later = false;
    for (int32_t step = 0; step < chips; ++step) {
      atomic<uint64_t>& chip = chip_front(team_, (member_->domain + step) % chips, number_);
      uint64_t seen = chip.load(std::memory_order_relaxed); // relaxed, both: as in take_batch()
      UnitRange left = ChipFront::unpack(seen);
      later = later || left.size() != 0 || ChipFront::is_being_filled(seen);
      if (left.size() == 0 || !chip.compare_exchange_strong(seen, seen + 1, std::memory_order_relaxed)) continue;
      *taken = {left.first, left.first + 1};
      loop_.next = 0; // as in take_off_chip()
      return Others::kTaken;
    }
    return later ? Others::kLater : Others::kNothing;
  }

  /// Of the largest share in the member's domain, or else of all.
  Others take_from_others(uint32_t look, UnitRange* taken) {
    atomic<uint32_t>& moves = member_->worksharing.loop.shared->moves;
    uint32_t moved = moves.load(std::memory_order_acquire); // acquire: pairs with release in move_half()
    bool later = false;
    for (bool everywhere : {false, true}) {
      Found best;
      for (int32_t step = 1; step < team_->size(); ++step) {
        int32_t tid = (member_->tid + step) % team_->size();
        if ((team_->shape.domain_of_member[tid] != member_->domain) != everywhere) continue;
        atomic<uint64_t>& share = share_of(team_, tid, number_);
        uint64_t seen = share.load(std::memory_order_acquire); // acquire: pairs as above
        UnitRange left = left_of(seen, tid);
        if (left.size() == 0 && seen != LoopShare::kBeingFilled) continue;
        if (left.size() <= best.left.size() || !may_take(seen, left, look))
          later = true;
        else
          best = {&share, seen, left};
      }
      if (best.share != nullptr) return take_half(best, taken) ? Others::kTaken : Others::kLater;
      if (team_->domains_in_use == 1) break;
    }
    // relaxed: ordered by the loads of the shares
    return later || moves.load(std::memory_order_relaxed) != moved ? Others::kLater : Others::kNothing;
  }

  struct Found {
    atomic<uint64_t>* share = nullptr;
    uint64_t seen = 0;
    UnitRange left{0, 0};
  };

  bool may_take(uint64_t seen, UnitRange left, uint32_t look) const {
    if (look >= kLooks) return true;
    return LoopShare::is_claimed(seen) && (left.size() / 2 + 1) * uint64_t{memory_.cost} >= kWorthMoving;
  }

  /// The first unit, or the upper half: the member begins with its first unit, the others become its share.
  bool take_half(Found& from, UnitRange* taken) {
    auto [first, end] = from.left;
    uint32_t half = (end - first) / 2, middle = end - half;
    loop_.batch = 1; // short batches at first: the units may be left because they take long
    if (half > 1) {
      // relaxed: ordered by the release below
      share_.store(LoopShare::kBeingFilled, std::memory_order_relaxed);
      // release: pairs with acquire in take_from_others(): who sees the move sees the mark.
      member_->worksharing.loop.shared->moves.fetch_add(1, std::memory_order_release);
    }
    UnitRange rest = half > 1 ? UnitRange{first, middle} : UnitRange{first + 1, end};
    preemption_point();
    // release: pairs with acquire in take_from_others(): who misses the units sees the move.
    bool has = from.share->compare_exchange_strong(from.seen, LoopShare::claimed(rest), std::memory_order_release,
                                                   std::memory_order_relaxed);
    preemption_point();
    *taken = half > 1 ? UnitRange{middle, middle + 1} : UnitRange{first, first + 1};
    // relaxed: as in take_batch()
    if (half > 1)
      share_.store(LoopShare::claimed(has ? UnitRange{middle + 1, end} : UnitRange{0, 0}), std::memory_order_relaxed);
    return has;
  }

  Member* const member_;
  Team* const team_;
  MemberFront& loop_;
  LoopMemory& memory_;
  atomic<uint64_t>& front_;
  const uint64_t number_;
  atomic<uint64_t>& share_;
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
  loop.usual_cost = loop.memory.cost;
  loop.proved_before = loop.memory.proved;
  loop.met_before = loop.usual_cost != 0;
  loop.unit = range.last / chunk < kMostUnits ? chunk : (range.last / chunk / kMostUnits + 1) * chunk;
  loop.units = static_cast<uint32_t>(range.last / loop.unit) + 1;
  join_chip(member, loop);
}

void front_prepare(Team* team, uint64_t number) {
  // relaxed: slot_prepare() publishes it
  for (int32_t domain = 0; domain < team->domains_in_use; ++domain)
    chip_front(team, domain, number).store(0, std::memory_order_relaxed);
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
  uint64_t number = member->worksharing.loop.number;
  // relaxed: released by RingPosition::left. Something is left of the share if the loop was cancelled.
  share_of(member->team, member->tid, number).store(number + kLoopSlots, std::memory_order_relaxed);
}

void front_forget(Team* team) {
  for (int32_t tid = 0; tid < team->capacity; ++tid)
    for (LoopShare& share : team->members[tid].worksharing.shares) {
      share.word.store(0, std::memory_order_relaxed); // relaxed, both: the start signal publishes it
      share.chip.store(0, std::memory_order_relaxed);
    }
}

} // namespace chomp
