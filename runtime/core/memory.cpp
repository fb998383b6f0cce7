// Slabs, the depot, and permanent memory. See memory.h for the invariant.
#include "runtime/core/memory.h"

#include <cstring>

#include "runtime/base/atomic.h"
#include "runtime/base/cacheline.h"
#include "runtime/base/lock.h"
#include "runtime/base/os_linux.h"
#include "runtime/base/race_detector.h"
#include "runtime/core/task.h"
#include "runtime/core/team.h"
#include "runtime/core/worker.h"
#include "runtime/machine/topology.h"

namespace chomp {
namespace {

constexpr size_t kSlabBytes = size_t{1} << 20;

// Batches of one class, linked through the `prev` of their first block. The blocks of a batch are linked through
// `next`.
struct alignas(kCacheLine) Shelf {
  Lock lock;
  uint32_t count = 0; // inside the lock
  // Written inside the lock; a look outside it is a hint: relaxed. release, where it is written: the child of a
  // fork() finds a whole list at any moment.
  atomic<Task*> batches{nullptr};
};

// The workers of one domain use a shelf of their own first. So those of a large machine do not wait for one lock. The
// shelf holds few batches, since other domains do not look there; the rest lies on the common shelf.
constexpr unsigned kDomainShelves = 64; // domains beyond that share them
constexpr uint32_t kMostOnDomainShelf = 4;
constexpr unsigned kCommonShelf = kDomainShelves;
CHOMP_LARGE constinit Shelf depot[kDomainShelves + 1][kSizeClasses];

Shelf& shelf_of_domain(const Worker* worker, unsigned size_class) {
  return depot[worker->member->physical_domain % kDomainShelves][size_class];
}

// What is left of a slab. Permanent memory is cut from the common slab, new blocks from one for each domain, since the
// threads of a large team all want blocks at once.
struct alignas(kCacheLine) Slab {
  Lock lock;
  alignas(kCacheLine) char* free = nullptr; // those that wait for the lock leave this line to its holder
  size_t left = 0;
};
CHOMP_LARGE constinit Slab slabs[kDomainShelves];
constinit Slab permanent_slab;

// The first thread's record, its initial team and that of its first serialised region.
constexpr size_t kFirstRegionBytes = 24 * 1024;

void* cut(Slab& slab, size_t bytes) {
  bytes = (bytes + 63) & ~size_t{63};
  if (bytes >= kSlabBytes / 4) {
    void* pages = map_pages(bytes);
    if (pages == nullptr) fatal("out of memory: %zu bytes", bytes);
    return pages;
  }
  std::lock_guard guard(slab.lock);
  if (slab.left < bytes) {
    bool first = slab.free == nullptr;
    slab.free = static_cast<char*>(map_pages(kSlabBytes));
    if (slab.free == nullptr) fatal("out of memory: %zu bytes", kSlabBytes);
    slab.left = kSlabBytes;
    if (first && &slab == &permanent_slab) commit_pages(slab.free, kFirstRegionBytes);
  }
  char* result = slab.free;
  slab.free += bytes;
  slab.left -= bytes;
  return result;
}

Task* take_from(Shelf& shelf) {
  if (shelf.batches.load(std::memory_order_relaxed) == nullptr) return nullptr;
  std::lock_guard guard(shelf.lock);
  Task* batch = shelf.batches.load(std::memory_order_relaxed);
  if (batch == nullptr) return nullptr;
  shelf.batches.store(static_cast<Task*>(batch->prev), std::memory_order_release); // release: see Shelf
  --shelf.count;
  memory_taken(batch);
  return batch;
}

// False: the shelf has `most` batches already.
bool give_to(Shelf& shelf, uint32_t most, Task* batch) {
  std::lock_guard guard(shelf.lock);
  if (shelf.count >= most) return false;
  memory_given(batch);
  batch->prev = shelf.batches.load(std::memory_order_relaxed);
  shelf.batches.store(batch, std::memory_order_release); // release: see Shelf; publishes `prev`
  ++shelf.count;
  return true;
}

Task* depot_take(const Worker* worker, unsigned size_class) {
  Task* batch = take_from(shelf_of_domain(worker, size_class));
  return batch != nullptr ? batch : take_from(depot[kCommonShelf][size_class]);
}

void depot_give(const Worker* worker, unsigned size_class, Task* batch) {
  if (!give_to(shelf_of_domain(worker, size_class), kMostOnDomainShelf, batch))
    give_to(depot[kCommonShelf][size_class], UINT32_MAX, batch);
}

// Another thread may have held the lock, or have changed the list and not yet its count.
void reset_after_fork(Shelf& shelf) {
  shelf.lock.reset_after_fork();
  shelf.count = 0;
  for (const QueueHook* batch = shelf.batches.load(std::memory_order_relaxed); batch != nullptr; batch = batch->prev)
    ++shelf.count;
}

void reset_after_fork(Slab& slab) {
  slab.lock.reset_after_fork();
  slab.left = 0; // another thread may have been in the middle of cut()
}

// Cuts new blocks: one for the caller and, of small classes, more for the list, half a batch in all.
Task* carve(Worker* worker, unsigned size_class) {
  size_t bytes = size_of_class(size_class);
  uint32_t count = size_class <= kFineClasses ? kBatch / 2 : 1;
  Slab& slab = slabs[worker->member->physical_domain % kDomainShelves];
  char* memory = static_cast<char*>(cut(slab, bytes * count));
  for (uint32_t i = count - 1; i > 0; --i)
    block_free_own(worker, reinterpret_cast<Task*>(memory + i * bytes), size_class);
  return reinterpret_cast<Task*>(memory);
}

} // namespace

Task* block_allocate_slow(Worker* worker, unsigned size_class) {
  if (size_class >= kSizeClasses) fatal("a task of more than %zu bytes", size_of_class(kSizeClasses - 1));
  worker->memory.surplus[size_class] = 0; // the blocks that came from others are used up
  Task* batch = depot_take(worker, size_class);
  if (batch == nullptr) return carve(worker, size_class);
  worker->memory.free_blocks[size_class] = batch->below();
  return batch;
}

void block_surplus_slow(Worker* worker, unsigned size_class) {
  worker->memory.surplus[size_class] = 0;
  Task* batch = worker->memory.free_blocks[size_class];
  Task* last = batch;
  for (unsigned count = 1; count < kBatch && last->next != nullptr; ++count) last = last->below();
  worker->memory.free_blocks[size_class] = last->below();
  last->next = nullptr;
  depot_give(worker, size_class, batch);
}

void* memory_permanent(size_t bytes) { return cut(permanent_slab, bytes); } // slabs come zeroed from the system

void memory_permanent_commit(size_t bytes) {
  std::lock_guard guard(permanent_slab.lock);
  if (permanent_slab.left >= bytes) commit_pages(permanent_slab.free, bytes);
}

// The object lies behind a header, so that every block begins with a header for ever (constraint.cpp).
void* object_allocate(Worker* worker, size_t bytes) {
  unsigned size_class = size_class_of(sizeof(Task) + bytes);
  if (worker->memory.surplus[size_class] > 0) --worker->memory.surplus[size_class];
  return block_allocate(worker, size_class) + 1;
}

void object_free(Worker* worker, void* object, size_t bytes) {
  block_free(worker, static_cast<Task*>(object) - 1, size_class_of(sizeof(Task) + bytes));
}

void memory_release_lists(Worker* worker) {
  for (unsigned size_class = 0; size_class < kSizeClasses; ++size_class) {
    if (Task* all = worker->memory.free_blocks[size_class]) give_to(depot[kCommonShelf][size_class], UINT32_MAX, all);
    worker->memory.free_blocks[size_class] = nullptr;
    worker->memory.surplus[size_class] = 0;
  }
}

void memory_reset_after_fork() {
  reset_after_fork(permanent_slab);
  unsigned domains = static_cast<unsigned>(topology.domain_count); // the shelves of others were never touched
  for (unsigned at = 0; at <= kDomainShelves; ++at) {
    if (at >= domains && at != kCommonShelf) continue;
    for (Shelf& shelf : depot[at]) reset_after_fork(shelf);
    if (at != kCommonShelf) reset_after_fork(slabs[at]);
  }
}

} // namespace chomp
