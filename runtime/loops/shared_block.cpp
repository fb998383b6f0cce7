// See shared_block.h.
#include "runtime/loops/shared_block.h"

#include <string.h>

#include "runtime/base/backoff.h"
#include "runtime/base/check.h"
#include "runtime/core/memory.h"
#include "runtime/core/team.h"
#include "runtime/core/worker.h"
#include "runtime/loops/worksharing.h"
#include "runtime/tasks/cancel.h"

namespace chomp {

namespace {

void* const kBeingMade = reinterpret_cast<void*>(1);

// Huge blocks are mapped, so that only the pages in use cost memory; small ones come from the lists.
constexpr size_t kMappedFrom = 1 << 16;

void* allocate(Worker* worker, size_t bytes) {
  if (bytes < kMappedFrom) return memset(object_allocate(worker, bytes), 0, bytes);
  void* pages = map_pages(bytes);
  if (pages == nullptr) fatal("out of memory: %zu bytes shared by the threads of a loop", bytes);
  return pages;
}

void release(Worker* worker, void* memory, size_t bytes) {
  if (bytes < kMappedFrom)
    object_free(worker, memory, bytes);
  else
    unmap_pages(memory, bytes);
}

void* take_unshared(Worker* worker, BlockHold* hold, size_t bytes) {
  hold->unshared_bytes = bytes > 0 ? bytes : 1;
  return hold->unshared = allocate(worker, hold->unshared_bytes);
}

} // namespace

void* shared_block_take(Worker* worker, BlockHold* hold, size_t bytes) {
  Member* member = worker->member;
  TeamWorksharing& shared = member->team->worksharing;
  hold->number = member->worksharing.blocks_seen++;
  SharedBlock* slot = &shared.blocks[hold->number % kBlockSlots];
  shared.blocks_used.store(true, std::memory_order_relaxed); // relaxed: read after the join, which orders it
  // acquire: pairs with release in shared_block_leave(); the slot has been reset.
  for (Backoff backoff; slot->generation.load(std::memory_order_acquire) != hold->number / kBlockSlots;) {
    if (cancel_requested(worker, CancelKind::kParallel)) return take_unshared(worker, hold, bytes);
    if (!let_left_task_go_on(worker)) backoff.pause();
  }
  hold->slot = slot;
  void* memory = nullptr;
  // acquire on failure: pairs with the release store below; relaxed on success: nothing is read.
  if (slot->memory.compare_exchange_strong(memory, kBeingMade, std::memory_order_relaxed, std::memory_order_acquire)) {
    slot->bytes = bytes > 0 ? bytes : 1;
    memory = allocate(worker, slot->bytes);
    // release: pairs with acquire in the other members' shared_block_take().
    slot->memory.store(memory, std::memory_order_release);
  }
  for (Backoff backoff; memory == kBeingMade;
       memory = slot->memory.load(std::memory_order_acquire)) // acquire: pairs as above
    backoff.pause();
  return memory;
}

void shared_block_leave_slow(Worker* worker, BlockHold* hold) {
  if (hold->unshared != nullptr) {
    release(worker, hold->unshared, hold->unshared_bytes);
    hold->unshared = nullptr;
  }
  SharedBlock* slot = hold->slot;
  if (slot == nullptr) return;
  hold->slot = nullptr;
  // acq_rel: pairs with itself: the last to leave has seen every other member's last use of the block.
  if (slot->left.fetch_add(1, std::memory_order_acq_rel) + 1 < worker->member->team->size()) return;
  // relaxed: the store to generation publishes them.
  release(worker, slot->memory.load(std::memory_order_relaxed), slot->bytes);
  slot->memory.store(nullptr, std::memory_order_relaxed);
  slot->left.store(0, std::memory_order_relaxed);
  // release: pairs with acquire in shared_block_take().
  slot->generation.store(hold->number / kBlockSlots + 1, std::memory_order_release);
}

void shared_block_reset(SharedBlock* slot) {
  // relaxed, all of it: no member runs, and the start signal publishes the values.
  void* memory = slot->memory.load(std::memory_order_relaxed);
  if (memory != nullptr) release(this_worker(), memory, slot->bytes);
  slot->memory.store(nullptr, std::memory_order_relaxed);
  slot->generation.store(0, std::memory_order_relaxed);
  slot->left.store(0, std::memory_order_relaxed);
}

} // namespace chomp
