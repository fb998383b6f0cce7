// Worksharing constructs: loops whose chunks are handed out at run time, ordered, sections, single, copyprivate. The
// header tells how members agree on the shared state of a construct. Loops whose chunks come in any order are
// loop_ranges.cpp's; static loops need none of this: abi/kmpc_loop.cpp, loop_index.h.
#include "runtime/worksharing.h"

#include <limits.h>

#include "runtime/base/backoff.h"
#include "runtime/base/check.h"
#include "runtime/base/os_linux.h"
#include "runtime/base/preemption.h"
#include "runtime/cancel.h"
#include "runtime/config.h"
#include "runtime/loop_index.h"
#include "runtime/team.h"
#include "runtime/worker.h"

namespace chomp {

/// How loop `number` of a region is called by SharedRange: different from every other loop that may be in flight in the
/// same slot of the ring.
static uint64_t offered_loop(uint64_t epoch, uint64_t number) {
  return (epoch << 32 | static_cast<uint32_t>(number / kLoopSlots)) & ~SharedRange::kClaimed;
}

static void slot_leave(Member* member) {
  MemberLoop& loop = member->worksharing.loop;
  SharedLoop* slot = loop.shared;
  if (slot == nullptr) return;
  loop.shared = nullptr;
  uint64_t epoch = member->team->worksharing.ring_epoch;
  ranges_offer(member, loop.number % kLoopSlots, offered_loop(epoch, loop.number + kLoopSlots));
  preemption_point();
  // acq_rel: pairs with itself: the last to leave has seen every other member's last use of the slot.
  if (slot->left.fetch_add(1, std::memory_order_acq_rel) + 1 < member->team->size()) return;
  // relaxed: nobody looks at them before the store to generation, which publishes them.
  slot->taken.store(0, std::memory_order_relaxed);
  slot->ordered_turn.store(0, std::memory_order_relaxed);
  slot->left.store(0, std::memory_order_relaxed);
  // release: pairs with acquire in slot_enter().
  slot->generation.store(static_cast<uint32_t>(loop.number / kLoopSlots + 1), std::memory_order_release);
  light_fence(); // pairs with heavy_fence() in slot_wait_slow(): either we see its count or it sees the generation
  // relaxed: ordered by the fence.
  if (slot->asleep.load(std::memory_order_relaxed) != 0) futex_wake(&slot->generation, INT_MAX);
}

void worksharing_begin_region(Team* team) {
  TeamWorksharing& shared = team->worksharing;
  cancel_begin_region(team);
  // relaxed, all of it: no member runs, and the order to start publishes the values.
  shared.singles_taken.store(0, std::memory_order_relaxed);
  if (!shared.rings_used.load(std::memory_order_relaxed)) return;
  shared.rings_used.store(false, std::memory_order_relaxed);
  ++shared.ring_epoch;
  for (SharedLoop& loop : shared.loops) {
    loop.taken.store(0, std::memory_order_relaxed);
    loop.ordered_turn.store(0, std::memory_order_relaxed);
    loop.generation.store(0, std::memory_order_relaxed);
    loop.left.store(0, std::memory_order_relaxed);
  }
  for (SharedBlock& block : shared.blocks) shared_block_reset(&block);
}

void worksharing_end_member(Member* member) {
  slot_leave(member);
  // Where regions are cancelled, others may have been in a loop to which this member never came.
  if (member->worksharing.loops_seen == 0 && !config.cancellation) return;
  uint64_t first = offered_loop(member->team->worksharing.ring_epoch + 1, 0); // as worksharing_begin_region() will say
  for (uint32_t slot = 0; slot < kLoopSlots; ++slot) ranges_offer(member, slot, first);
}

void worksharing_begin_member(Member* member) {
  MemberWorksharing& own = member->worksharing;
  own.singles_seen = 0;
  own.barriers = 0;
  own.loops_seen = 0;
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

/// The ring is full: another member is kLoopSlots loops behind. False: the region is being cancelled, as below.
CHOMP_SLOW static bool slot_wait_slow(Worker* worker, SharedLoop* slot, uint32_t generation) {
  constexpr int kLooks = 400;           // some 30 us, then as many yields
  constexpr int64_t kNapNs = 1'000'000; // nobody wakes for a cancellation
  Backoff backoff;
  int looks = 0;
  uint32_t seen;
  // acquire: pairs with release in slot_leave(); the slot is as new.
  while ((seen = slot->generation.load(std::memory_order_acquire)) != generation) {
    if (cancel_requested(worker, CancelKind::kParallel)) return false;
    if (++looks < kLooks) {
      backoff.pause();
      continue;
    }
    slot->asleep.fetch_add(1, std::memory_order_relaxed); // relaxed: ordered by the fence
    heavy_fence();                                        // pairs with light_fence() in slot_leave()
    futex_wait(&slot->generation, seen, config.cancellation ? kNapNs : kNoTimeout);
    slot->asleep.fetch_sub(1, std::memory_order_relaxed); // relaxed: at worst somebody wakes nobody
  }
  return true;
}

/// Takes this member's next slot of the ring. Null if the region is being cancelled and a member has left it before the
/// loop that the slot serves: it will not come here any more.
static SharedLoop* slot_enter(Worker* worker) {
  Member* member = worker->member;
  MemberWorksharing& own = member->worksharing;
  TeamWorksharing& shared = member->team->worksharing;
  own.loop.number = own.loops_seen++;
  SharedLoop* slot = &shared.loops[own.loop.number % kLoopSlots];
  auto generation = static_cast<uint32_t>(own.loop.number / kLoopSlots);
  // relaxed: the primary reads it after the region's join, which orders it.
  if (!shared.rings_used.load(std::memory_order_relaxed)) shared.rings_used.store(true, std::memory_order_relaxed);
  // acquire: pairs with release in slot_leave(); the slot is as new.
  if (CHOMP_LIKELY(slot->generation.load(std::memory_order_acquire) == generation)) return slot;
  return slot_wait_slow(worker, slot, generation) ? slot : nullptr;
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
  uint64_t size = static_cast<uint64_t>(member->team->size()), tid = static_cast<uint64_t>(member->tid);
  loop.last_chunk = range.last / schedule.chunk;
  loop.own_chunk = tid;
  if (schedule.kind == LoopKind::kStatic) {
    // Blocks of whole multiples (simd); the last member that has any gets the rest.
    uint64_t multiple = schedule.multiple;
    IndexBlock<uint64_t> block = balanced_block<uint64_t>(range.last / multiple, tid, size);
    loop.block_first = block.first * multiple;
    loop.block_last = block.empty() ? 0 : chunk_block<uint64_t>(range.last, multiple, block.last).last;
    if (block.empty()) loop.block_first = 1;
  }
  loop.chunk_first = 1, loop.chunk_last = 0, loop.ordered_passed = 0; // no chunk yet
  loop.ordered_done = false;
  bool dealt_statically = schedule.kind == LoopKind::kStatic || schedule.kind == LoopKind::kStaticChunked;
  if (dealt_statically && !schedule.ordered && !schedule.always_shared) return;
  loop.shared = slot_enter(worker);
  loop.active = loop.shared != nullptr;
  if (schedule.kind == LoopKind::kAnyOrder && loop.active)
    ranges_enter(member, loop.number % kLoopSlots, offered_loop(member->team->worksharing.ring_epoch, loop.number));
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

static void wait_for_turn(MemberLoop& loop) {
  uint64_t own = loop.chunk_first + loop.ordered_passed;
  // acquire: pairs with release in pass_turn(); this region runs after the one before it.
  for (Backoff backoff; loop.shared->ordered_turn.load(std::memory_order_acquire) != own;) backoff.pause();
}

static void pass_turn(MemberLoop& loop, uint64_t iterations) {
  loop.ordered_passed += iterations;
  // release: pairs with acquire in wait_for_turn().
  loop.shared->ordered_turn.store(loop.chunk_first + loop.ordered_passed, std::memory_order_release);
}

/// Whether the member is in a chunk of an ordered loop whose turns are counted.
static bool counts_turns(const MemberLoop& loop) {
  return loop.shared != nullptr && loop.schedule.ordered && loop.chunk_first <= loop.chunk_last;
}

void ordered_begin(Worker* worker) {
  MemberLoop& loop = worker->member->worksharing.loop;
  if (counts_turns(loop)) wait_for_turn(loop);
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
    wait_for_turn(loop);
    pass_turn(loop, 1);
  }
  loop.ordered_done = false;
}

void ordered_finish_chunk(Worker* worker) {
  MemberLoop& loop = worker->member->worksharing.loop;
  if (!counts_turns(loop)) return;
  uint64_t size = loop.chunk_last - loop.chunk_first + 1;
  if (loop.ordered_passed >= size) return;
  wait_for_turn(loop);
  pass_turn(loop, size - loop.ordered_passed);
}

// ---- sections, single -----------------------------------------------------------------------------------------------

void sections_begin(Worker* worker) {
  Member* member = worker->member;
  slot_leave(member);
  MemberLoop& loop = member->worksharing.loop;
  loop.schedule.ordered = false;
  loop.shared = slot_enter(worker);
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
