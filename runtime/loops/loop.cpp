// Worksharing loops. See loop.h. Dynamic ones are loop_front.cpp's.
#include "runtime/loops/loop.h"

#include "runtime/core/team.h"
#include "runtime/core/worker.h"
#include "runtime/loops/claim.h"
#include "runtime/loops/loop_index.h"
#include "runtime/loops/loop_front.h"
#include "runtime/loops/ordered.h"
#include "runtime/loops/shared_block.h"
#include "runtime/loops/worksharing.h"

namespace chomp {

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

void loop_begin(Worker* worker, const LoopRange& range, const LoopSchedule& schedule) {
  Member* member = worker->member;
  MemberLoop& loop = member->worksharing.loop;
  loop_slot_leave(member);
  loop.had_last = false;
  loop.active = !range.empty;
  if (range.empty) return;
  loop.range = range;
  loop.schedule = schedule;
  loop.chunk_first = 1, loop.chunk_last = 0, loop.ordered_passed = 0; // no chunk yet
  loop.ordered_done = false;
  if (schedule.kind == LoopKind::kDynamic) {
    loop.shared = loop_slot_enter(worker, true);
    loop.active = loop.shared != nullptr;
    if (CHOMP_LIKELY(loop.active)) front_enter(member);
    return;
  }
  uint64_t size = static_cast<uint64_t>(member->team->size()), tid = static_cast<uint64_t>(member->tid);
  if (schedule.kind != LoopKind::kStatic) {
    loop.last_chunk = range.last / schedule.chunk;
    loop.own_chunk = schedule.kind == LoopKind::kGuided ? 0 : tid;
    loop.block_first = 0;
    loop.is_dealt = false;
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
  loop.shared = loop_slot_enter(worker, schedule.ordered || !dealt_statically, schedule.ordered);
  loop.active = loop.shared != nullptr;
  if (loop.active && schedule.ordered) loop.ordered = ordered_loop(member->team, loop.number);
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
  about_to_take_next(&loop.shared->taken, loop.last_chunk + 1);
  // relaxed: it only deals out numbers; what iterations write is ordered by the barrier that ends the loop.
  uint64_t number = loop.shared->taken.fetch_add(1, std::memory_order_relaxed);
  if (number > loop.last_chunk) return false;
  *taken = chunk_block<uint64_t>(loop.range.last, loop.schedule.chunk, number);
  return true;
}

/// A guided chunk is the rest, `rest_minus_one` + 1 iterations, divided by twice the team's size; at least the given
/// chunk, rounded up to the multiple.
uint64_t guided_size(const LoopSchedule& schedule, uint64_t team_size, uint64_t rest_minus_one) {
  uint64_t size = rest_minus_one / (2 * team_size) + 1, multiple = schedule.multiple;
  if (size < schedule.chunk) size = schedule.chunk;
  if (multiple > 1 && size % multiple != 0 && size < UINT64_MAX - multiple) size += multiple - size % multiple;
  return size;
}

/// Where a chunk begins follows from its number, so members share nothing but a count of chunks. Each adds up the sizes
/// of the chunks that others have had since its own last one: in the whole loop some 2 * P * log(iterations / P) sizes.
bool take_guided(MemberLoop& loop, uint64_t team_size, IndexBlock<uint64_t>* taken) {
  if (loop.is_dealt) return false;
  // relaxed: as in take_next_chunk().
  uint64_t number = loop.shared->taken.fetch_add(1, std::memory_order_relaxed);
  while (!loop.is_dealt) {
    uint64_t first = loop.block_first, rest_minus_one = loop.range.last - first;
    uint64_t size = guided_size(loop.schedule, team_size, rest_minus_one);
    loop.is_dealt = size > rest_minus_one;
    loop.block_first += size;
    if (loop.own_chunk++ != number) continue;
    *taken = {first, loop.is_dealt ? loop.range.last : first + size - 1};
    return true;
  }
  return false;
}

bool take(Worker* worker, IndexBlock<uint64_t>* taken) {
  MemberLoop& loop = worker->member->worksharing.loop;
  auto team_size = static_cast<uint64_t>(worker->member->team->size());
  switch (loop.schedule.kind) {
  case LoopKind::kDynamic: return front_take(worker, taken);
  case LoopKind::kStatic: return take_block(loop, taken);
  case LoopKind::kStaticChunked: return take_own_chunk(loop, team_size, taken);
  case LoopKind::kOneByOne: return take_next_chunk(loop, taken);
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
  if (!take(worker, &taken)) {
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
  loop_slot_leave(worker->member);
}

void* workshare_memory(Worker* worker, size_t bytes) {
  return shared_block_take(worker, &worker->member->worksharing.memory, bytes);
}

void workshare_memory_end(Worker* worker) { shared_block_leave(worker, &worker->member->worksharing.memory); }

} // namespace chomp
