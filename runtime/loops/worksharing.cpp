// Worksharing constructs: loops whose chunks are handed out at run time, ordered, sections, single, copyprivate. The
// header tells how members agree on the shared state of a construct. Loops whose chunks come in any order are
// loop_ranges.cpp's; static loops need none of this: abi/kmpc_loop.cpp, loop_index.h.
#include "runtime/loops/worksharing.h"

#include <limits.h>

#include "runtime/base/backoff.h"
#include "runtime/base/check.h"
#include "runtime/base/os_linux.h"
#include "runtime/base/preemption.h"
#include "runtime/tasks/cancel.h"
#include "runtime/config/config.h"
#include "runtime/loops/loop_index.h"
#include "runtime/core/team.h"
#include "runtime/core/worker.h"

namespace chomp {

/// Somebody waits for this member to leave a loop.
CHOMP_SLOW static void notify_loop_left_slow(RingPlace& place) {
  place.eventcount.fetch_add(1, std::memory_order_release); // release: pairs with acquire in wait_loop_left_slow()
  futex_wake(&place.eventcount, INT_MAX);
}

static void slot_leave(Member* member) {
  MemberLoop& loop = member->worksharing.loop;
  if (loop.shared == nullptr) return;
  loop.shared = nullptr;
  ranges_offer(member, loop.number % kLoopSlots, loop.number + kLoopSlots);
  preemption_point();
  RingPlace& place = member->worksharing.ring;
  // release: pairs with acquire in ring_enter_slow(): who sees it sees our last use of the slot, and the offer.
  place.left.store(loop.number + 1, std::memory_order_release);
  light_fence(); // pairs with heavy_fence() in wait_loop_left_slow(): either we see the sleeper or it sees the store
  // relaxed: ordered by the fence.
  if (CHOMP_UNLIKELY(place.sleepers.load(std::memory_order_relaxed) != 0)) notify_loop_left_slow(place);
}

void worksharing_begin_region(Team* team) {
  TeamWorksharing& shared = team->worksharing;
  cancel_begin_region(team);
  // All members have met the same loops in the last region, unless it was cancelled; then nobody was more than the
  // ring's length ahead of the primary.
  team->first_loop = team->members[0].worksharing.next_loop + (config.cancellation ? kLoopSlots : 0);
  // relaxed, all of it: no member runs, and the start signal publishes the values.
  shared.singles_taken.store(0, std::memory_order_relaxed);
  if (!shared.blocks_used.load(std::memory_order_relaxed)) return;
  shared.blocks_used.store(false, std::memory_order_relaxed);
  for (SharedBlock& block : shared.blocks) shared_block_reset(&block);
}

void worksharing_end_member(Member* member) {
  slot_leave(member);
  if (!config.cancellation) return;
  // Others may have taken from this member's share of a loop to which it never came.
  uint64_t next = member->worksharing.next_loop + kLoopSlots; // as worksharing_begin_region() will say
  for (uint64_t number = next; number < next + kLoopSlots; ++number) ranges_offer(member, number % kLoopSlots, number);
}

void worksharing_begin_member(Member* member) {
  MemberWorksharing& own = member->worksharing;
  own.singles_seen = 0;
  own.barriers = 0;
  own.next_loop = own.all_left = member->team->first_loop;
  own.blocks_seen = 0;
  own.loop.active = false;
  own.loop.shared = nullptr;
  own.doacross.block.slot = nullptr;
  own.memory.slot = nullptr;
}

// ---- loops ----------------------------------------------------------------------------------------------------------

LoopRange loop_range_part(const LoopRange& range, uint32_t part, uint32_t parts) {
  if (range.empty || parts <= 1) return range;
  IndexBlock<uint64_t> block = balanced_block<uint64_t>(range.last, part, parts);
  if (block.empty()) return LoopRange{};
  LoopRange own = range;
  own.lower = range.lower + block.first * range.stride;
  own.last = block.last - block.first;
  own.holds_last = range.holds_last && block.last == range.last;
  return own;
}

/// The ring is full: the member whose place it is, is kLoopSlots loops behind. False: the region is being
/// cancelled.
CHOMP_SLOW static bool wait_loop_left_slow(Worker* worker, RingPlace& place, uint64_t number) {
  constexpr int kLooks = 400;                 // some 30 us, then as many yields
  constexpr int64_t kTimedWaitNs = 1'000'000; // nobody wakes for a cancellation
  Backoff backoff;
  int looks = 0;
  // acquire: pairs with release in slot_leave(), as in ring_enter_slow().
  while (place.left.load(std::memory_order_acquire) + kLoopSlots <= number) {
    if (cancel_requested(worker, CancelKind::kParallel)) return false;
    if (++looks < kLooks) {
      backoff.pause();
      continue;
    }
    // acquire: pairs with release in notify_loop_left_slow(): a change that is seen here ends the sleep below.
    uint32_t seen = place.eventcount.load(std::memory_order_acquire);
    place.sleepers.fetch_add(1, std::memory_order_relaxed); // relaxed: ordered by the fence
    heavy_fence();                                          // pairs with light_fence() in slot_leave()
    // acquire: pairs as above.
    if (place.left.load(std::memory_order_acquire) + kLoopSlots <= number)
      futex_wait(&place.eventcount, seen, config.cancellation ? kTimedWaitNs : kNoTimeout);
    place.sleepers.fetch_sub(1, std::memory_order_relaxed); // relaxed: at worst somebody wakes nobody
  }
  return true;
}

/// Looks how far the others are, which is true for the next loops too, and waits for those that are too far behind.
/// Members begin with their neighbours, so that they do not all read the same line at a time.
CHOMP_SLOW static bool ring_enter_slow(Worker* worker, uint64_t number) {
  Member* member = worker->member;
  Team* team = member->team;
  int32_t size = team->size();
  uint64_t fewest = number;
  for (int32_t step = 1; step < size; ++step) {
    int32_t tid = member->tid + step < size ? member->tid + step : member->tid + step - size;
    RingPlace& place = team->members[tid].worksharing.ring;
    // acquire: pairs with release in slot_leave(): the member's last use of the slot, and what it offers in it.
    uint64_t left = place.left.load(std::memory_order_acquire);
    if (left + kLoopSlots <= number) {
      if (!wait_loop_left_slow(worker, place, number)) return false;
      left = number - kLoopSlots + 1;
    }
    if (left < fewest) fewest = left;
  }
  member->worksharing.all_left = fewest;
  return true;
}

/// Makes the slot as new, unless another member has. All have left the loop that had it before.
static void slot_prepare(SharedLoop* slot, uint64_t number) {
  uint64_t ready = number + 1, preparing = ready | SharedLoop::kPreparing;
  // acquire: pairs with the release below: the slot is as new.
  uint64_t seen = slot->serves.load(std::memory_order_acquire);
  if (seen == ready) return;
  // relaxed: ring_enter_slow() has ordered what was done with the slot before.
  if (seen != preparing && slot->serves.compare_exchange_strong(seen, preparing, std::memory_order_relaxed)) {
    preemption_point();
    // relaxed: published by the store below.
    slot->taken.store(0, std::memory_order_relaxed);
    slot->ordered_turn.store(0, std::memory_order_relaxed);
    slot->serves.store(ready, std::memory_order_release); // release: pairs with acquire above
    return;
  }
  // acquire: pairs with the release above, another member's.
  for (Backoff backoff; slot->serves.load(std::memory_order_acquire) != ready;) backoff.pause();
}

/// Takes this member's next slot of the ring; `prepared` if the slot is to be as new. Null if the region is being
/// cancelled and a member has left it before the loop that the slot serves: it will not come here any more.
static SharedLoop* slot_enter(Worker* worker, bool prepared) {
  MemberWorksharing& own = worker->member->worksharing;
  uint64_t number = own.loop.number = own.next_loop++;
  if (CHOMP_UNLIKELY(number >= own.all_left + kLoopSlots) && !ring_enter_slow(worker, number)) return nullptr;
  SharedLoop* slot = &worker->member->team->worksharing.loops[number % kLoopSlots];
  if (prepared) slot_prepare(slot, number);
  return slot;
}

void loop_begin(Worker* worker, const LoopRange& range, const LoopSchedule& schedule) {
  Member* member = worker->member;
  MemberLoop& loop = member->worksharing.loop;
  slot_leave(member);
  loop.had_last = false;
  loop.active = !range.empty;
  if (range.empty) return;
  loop.range = range;
  loop.schedule = schedule;
  loop.chunk_first = 1, loop.chunk_last = 0, loop.ordered_passed = 0; // no chunk yet
  loop.ordered_done = false;
  if (schedule.kind == LoopKind::kAnyOrder) {
    loop.shared = slot_enter(worker, false);
    loop.active = loop.shared != nullptr;
    if (CHOMP_LIKELY(loop.active)) ranges_enter(member, loop.number);
    return;
  }
  uint64_t size = static_cast<uint64_t>(member->team->size()), tid = static_cast<uint64_t>(member->tid);
  if (schedule.kind != LoopKind::kStatic) {
    loop.last_chunk = range.last / schedule.chunk;
    loop.own_chunk = tid;
  } else if (size == 1) {
    loop.block_first = 0, loop.block_last = range.last;
  } else {
    // Blocks of whole multiples (simd); the last member that has any gets the rest.
    uint64_t multiple = schedule.multiple;
    IndexBlock<uint64_t> block = balanced_block<uint64_t>(range.last / multiple, tid, size);
    loop.block_first = block.first * multiple;
    loop.block_last = block.empty() ? 0 : chunk_block<uint64_t>(range.last, multiple, block.last).last;
    if (block.empty()) loop.block_first = 1;
  }
  bool dealt_statically = schedule.kind == LoopKind::kStatic || schedule.kind == LoopKind::kStaticChunked;
  if (dealt_statically && !schedule.ordered && !schedule.always_shared) return;
  loop.shared = slot_enter(worker, schedule.ordered || !dealt_statically);
  loop.active = loop.shared != nullptr;
}

namespace {

bool take_block(MemberLoop& loop, IndexBlock<uint64_t>* taken) {
  *taken = {loop.block_first, loop.block_last};
  loop.block_first = 1, loop.block_last = 0;
  return !taken->empty();
}

bool take_own_chunk(MemberLoop& loop, uint64_t team_size, IndexBlock<uint64_t>* taken) {
  if (loop.own_chunk > loop.last_chunk) return false;
  *taken = chunk_block<uint64_t>(loop.range.last, loop.schedule.chunk, loop.own_chunk);
  loop.own_chunk += team_size;
  return true;
}

/// Counts chunks, not iterations: the counter passes the last chunk by at most one per member, so it cannot wrap
/// around.
bool take_next_chunk(MemberLoop& loop, IndexBlock<uint64_t>* taken) {
  // relaxed: it only deals out numbers; what iterations write is ordered by the barrier that ends the loop.
  uint64_t number = loop.shared->taken.fetch_add(1, std::memory_order_relaxed);
  if (number > loop.last_chunk) return false;
  *taken = chunk_block<uint64_t>(loop.range.last, loop.schedule.chunk, number);
  return true;
}

/// A chunk is the rest divided by twice the team's size, at least the given chunk, rounded up to the multiple.
bool take_guided(MemberLoop& loop, uint64_t team_size, IndexBlock<uint64_t>* taken) {
  uint64_t multiple = loop.schedule.multiple;
  // relaxed, here and below: as in take_next_chunk().
  uint64_t first = loop.shared->taken.load(std::memory_order_relaxed);
  for (;;) {
    if (first > loop.range.last) return false;
    uint64_t rest_minus_one = loop.range.last - first;
    uint64_t size = rest_minus_one / (2 * team_size) + 1;
    if (size < loop.schedule.chunk) size = loop.schedule.chunk;
    if (multiple > 1 && size % multiple != 0 && size < UINT64_MAX - multiple) size += multiple - size % multiple;
    uint64_t end = size > rest_minus_one ? loop.range.last : first + size - 1; // inclusive
    // A loop of 2^64 iterations would wrap `taken` to 0 at its very end; no machine gets there.
    if (loop.shared->taken.compare_exchange_weak(first, end + 1, std::memory_order_relaxed)) {
      *taken = {first, end};
      return true;
    }
  }
}

bool take(Member* member, IndexBlock<uint64_t>* taken) {
  MemberLoop& loop = member->worksharing.loop;
  auto team_size = static_cast<uint64_t>(member->team->size());
  switch (loop.schedule.kind) {
  case LoopKind::kAnyOrder: return ranges_take(member, taken);
  case LoopKind::kStatic: return take_block(loop, taken);
  case LoopKind::kStaticChunked: return take_own_chunk(loop, team_size, taken);
  case LoopKind::kDynamic: return take_next_chunk(loop, taken);
  case LoopKind::kGuided: return take_guided(loop, team_size, taken);
  }
  return false;
}

} // namespace

bool loop_next(Worker* worker, LoopChunk* chunk) {
  Member* member = worker->member;
  MemberLoop& loop = member->worksharing.loop;
  IndexBlock<uint64_t> taken;
  chunk->last = loop.had_last;
  if (!loop.active) return false;
  if (!take(member, &taken)) {
    loop_end(worker);
    return false;
  }
  if (taken.last == loop.range.last && loop.range.holds_last) loop.had_last = true;
  chunk->last = loop.had_last;
  chunk->lower = loop.range.lower + taken.first * loop.range.stride;
  chunk->upper = loop.range.lower + taken.last * loop.range.stride;
  loop.chunk_first = taken.first;
  loop.chunk_last = taken.last;
  loop.ordered_passed = 0;
  loop.ordered_done = false;
  return true;
}

void loop_end(Worker* worker) {
  worker->member->worksharing.loop.active = false;
  slot_leave(worker->member);
}

void* workshare_memory(Worker* worker, size_t bytes) {
  return shared_block_take(worker, &worker->member->worksharing.memory, bytes);
}

void workshare_memory_end(Worker* worker) { shared_block_leave(worker, &worker->member->worksharing.memory); }

// ---- ordered --------------------------------------------------------------------------------------------------------
// The turn is the index of the first iteration that has not gone through its ordered region. A member that has a chunk
// waits until the turn is inside it, and passes it on once per iteration; only it can, so that it looks at the turn
// once per chunk.

static void wait_for_turn(Member* member) {
  MemberLoop& loop = member->worksharing.loop;
  uint64_t own = loop.chunk_first + loop.ordered_passed;
  loop.shared->ordered_turns.wait(own, member->team->may_spin(), [&loop, own] {
    // acquire: pairs with release in pass_turn(); this region runs after the one before it.
    return loop.shared->ordered_turn.load(std::memory_order_acquire) == own;
  });
}

static void pass_turn(MemberLoop& loop, uint64_t iterations) {
  loop.ordered_passed += iterations;
  uint64_t turn = loop.chunk_first + loop.ordered_passed;
  // release: pairs with acquire in wait_for_turn().
  loop.shared->ordered_turn.store(turn, std::memory_order_release);
  if (turn > loop.chunk_last) loop.shared->ordered_turns.notify(turn); // else it is still ours
}

/// Whether the member is in a chunk of an ordered loop whose turns are counted.
static bool counts_turns(const MemberLoop& loop) {
  return loop.shared != nullptr && loop.schedule.ordered && loop.chunk_first <= loop.chunk_last;
}

void ordered_begin(Worker* worker) {
  MemberLoop& loop = worker->member->worksharing.loop;
  if (counts_turns(loop)) wait_for_turn(worker->member);
}

void ordered_end(Worker* worker) {
  MemberLoop& loop = worker->member->worksharing.loop;
  if (!counts_turns(loop)) return;
  loop.ordered_done = true;
  pass_turn(loop, 1);
}

void ordered_finish_iteration(Worker* worker) {
  MemberLoop& loop = worker->member->worksharing.loop;
  if (!counts_turns(loop)) return;
  if (!loop.ordered_done) {
    wait_for_turn(worker->member);
    pass_turn(loop, 1);
  }
  loop.ordered_done = false;
}

void ordered_finish_chunk(Worker* worker) {
  MemberLoop& loop = worker->member->worksharing.loop;
  if (!counts_turns(loop)) return;
  uint64_t size = loop.chunk_last - loop.chunk_first + 1;
  if (loop.ordered_passed >= size) return;
  wait_for_turn(worker->member);
  pass_turn(loop, size - loop.ordered_passed);
}

// ---- sections, single -----------------------------------------------------------------------------------------------

void sections_begin(Worker* worker) {
  Member* member = worker->member;
  slot_leave(member);
  MemberLoop& loop = member->worksharing.loop;
  loop.schedule.ordered = false;
  loop.shared = slot_enter(worker, true);
  loop.active = loop.shared != nullptr;
}

int32_t sections_next(Worker* worker, int32_t count) {
  MemberLoop& loop = worker->member->worksharing.loop;
  if (!loop.active || loop.shared == nullptr) return count;
  // relaxed: as in take_next_chunk().
  uint64_t section = loop.shared->taken.fetch_add(1, std::memory_order_relaxed);
  if (count > 0 && section < static_cast<uint64_t>(count)) return static_cast<int32_t>(section);
  loop_end(worker);
  return count;
}

bool single_begin(Worker* worker) {
  Member* member = worker->member;
  Team* team = member->team;
  if (team->serial()) return true;
  uint32_t own = member->worksharing.singles_seen++;
  std::atomic<uint32_t>& taken = team->worksharing.singles_taken;
  // relaxed: it only chooses who; what the region writes is ordered by the barrier that follows. Nobody can be a whole
  // turn of the counter behind, since a member that is behind keeps it from growing: only one who has seen n singles
  // moves it from n.
  if (taken.load(std::memory_order_relaxed) != own) return false;
  return taken.compare_exchange_strong(own, own + 1, std::memory_order_relaxed);
}

void copyprivate_broadcast(Worker* worker, void* data, void (*copy)(void*, void*), bool executed) {
  TeamWorksharing& shared = worker->member->team->worksharing;
  if (executed) shared.copyprivate = data;
  counted_barrier(worker);
  if (!executed) copy(data, shared.copyprivate);
  counted_barrier(worker);
}

void* copyprivate_exchange(Worker* worker, void* data) {
  TeamWorksharing& shared = worker->member->team->worksharing;
  if (data != nullptr) shared.copyprivate = data;
  counted_barrier(worker);
  return shared.copyprivate;
}

} // namespace chomp
