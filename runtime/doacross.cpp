// Doacross loops: ordered(n) with depend(sink: …) and depend(source) (OpenMP 5.2, 15.9.6). The iterations of the loop
// nest are numbered in the order of the sequential loop; a bit per iteration says that it has posted. Called by
// abi/kmpc_loop.cpp and abi/gomp_loop.cpp. The bits live until the last member leaves the loop.
//
//   serial team: nothing is recorded, every wait is already satisfied.
#include "runtime/doacross.h"

#include <string.h>

#include "runtime/base/backoff.h"
#include "runtime/base/check.h"
#include "runtime/loop_ranges.h"
#include "runtime/memory.h"
#include "runtime/team.h"
#include "runtime/worker.h"

namespace chomp {

namespace {

uint32_t* const kBeingMade = reinterpret_cast<uint32_t*>(1);

// Bits of huge loops are mapped, so that only the pages in use cost memory; small ones come from the lists.
constexpr uint64_t kMappedFrom = 1 << 16;

uint32_t* bits_allocate(Worker* worker, uint64_t bytes) {
  if (bytes < kMappedFrom) return static_cast<uint32_t*>(memset(object_allocate(worker, bytes), 0, bytes));
  void* pages = map_pages(bytes);
  if (pages == nullptr) fatal("out of memory: doacross loop with %llu iterations", (unsigned long long)bytes * 8);
  return static_cast<uint32_t*>(pages);
}

void bits_free(Worker* worker, uint32_t* bits, uint64_t bytes) {
  if (bytes < kMappedFrom)
    object_free(worker, bits, bytes);
  else
    unmap_pages(bits, bytes);
}

/// The number of the iteration in sequential order; false if it lies outside the loop nest.
bool linear_index(const MemberDoacross& loop, const int64_t* vector, uint64_t* index) {
  uint64_t linear = 0;
  for (int i = 0; i < loop.dimension_count; ++i) {
    const DoacrossDimension& dimension = loop.dimensions[i];
    bool up = dimension.stride > 0;
    if (up ? vector[i] < dimension.lower || vector[i] > dimension.upper
           : vector[i] > dimension.lower || vector[i] < dimension.upper)
      return false;
    linear = linear * loop.lengths[i] + loop_last_index<int64_t>(dimension.lower, vector[i], dimension.stride);
  }
  *index = linear;
  return true;
}

/// Copies the dimensions, since the caller's may be gone at the next call. Returns the number of iterations, or 0.
uint64_t keep_dimensions(Worker* worker, MemberDoacross& loop, int count, const DoacrossDimension* dimensions) {
  size_t each = sizeof(DoacrossDimension) + sizeof(uint64_t);
  loop.dimension_count = count;
  loop.dimensions = loop.inline_dimensions;
  loop.lengths = loop.inline_lengths;
  if (count > MemberDoacross::kInlineDimensions) {
    loop.dimensions = static_cast<DoacrossDimension*>(object_allocate(worker, each * static_cast<size_t>(count)));
    loop.lengths = reinterpret_cast<uint64_t*>(loop.dimensions + count);
  }
  uint64_t total = 1;
  for (int i = 0; i < count; ++i) {
    const DoacrossDimension& dimension = dimensions[i];
    CHECK(dimension.stride != 0);
    loop.dimensions[i] = dimension;
    bool empty = loop_is_empty<int64_t>(dimension.lower, dimension.upper, dimension.stride);
    loop.lengths[i] = empty ? 0 : loop_last_index<int64_t>(dimension.lower, dimension.upper, dimension.stride) + 1;
    if (__builtin_mul_overflow(total, loop.lengths[i], &total)) fatal("doacross loop with more than 2^64 iterations");
  }
  return total;
}

} // namespace

void doacross_reset(SharedDoacross* slot) {
  // relaxed, all of it: no member runs, and the order to start publishes the values.
  uint32_t* bits = slot->posted.load(std::memory_order_relaxed);
  if (bits != nullptr) bits_free(this_worker(), bits, slot->posted_bytes);
  slot->posted.store(nullptr, std::memory_order_relaxed);
  slot->generation.store(0, std::memory_order_relaxed);
  slot->left.store(0, std::memory_order_relaxed);
}

void doacross_begin(Worker* worker, int dimension_count, const DoacrossDimension* dimensions) {
  Member* member = worker->member;
  Team* team = member->team;
  MemberDoacross& loop = member->worksharing.doacross;
  if (team->serial()) return;
  uint64_t number = member->worksharing.doacross_seen++;
  SharedDoacross* slot = &team->worksharing.doacross[number % kDoacrossSlots];
  team->worksharing.rings_used.store(true, std::memory_order_relaxed); // relaxed: read after the join, which orders it
  uint64_t total = keep_dimensions(worker, loop, dimension_count, dimensions);
  // acquire: pairs with release in doacross_end(); the slot is as new.
  for (Backoff backoff; slot->generation.load(std::memory_order_acquire) != number / kDoacrossSlots;) backoff.pause();
  uint32_t* bits = nullptr;
  // acquire on failure: pairs with the release store below; relaxed on success: nothing is read.
  if (slot->posted.compare_exchange_strong(bits, kBeingMade, std::memory_order_relaxed, std::memory_order_acquire)) {
    slot->posted_bytes = total / 8 + 8;
    bits = bits_allocate(worker, slot->posted_bytes);
    // release: pairs with acquire in the other members' doacross_begin().
    slot->posted.store(bits, std::memory_order_release);
  }
  for (Backoff backoff; bits == kBeingMade;
       bits = slot->posted.load(std::memory_order_acquire)) // acquire: pairs as above
    backoff.pause();
  loop.posted = reinterpret_cast<std::atomic<uint32_t>*>(bits);
  loop.shared = slot;
}

void doacross_wait(Worker* worker, const int64_t* vector) {
  MemberDoacross& loop = worker->member->worksharing.doacross;
  uint64_t index;
  if (loop.shared == nullptr || !linear_index(loop, vector, &index)) return; // outside the nest: nothing to wait for
  uint32_t bit = 1u << (index % 32);
  // acquire: pairs with release in doacross_post(); what the other iteration wrote before is visible.
  for (Backoff backoff; (loop.posted[index / 32].load(std::memory_order_acquire) & bit) == 0;) backoff.pause();
}

void doacross_post(Worker* worker, const int64_t* vector) {
  MemberDoacross& loop = worker->member->worksharing.doacross;
  uint64_t index;
  if (loop.shared == nullptr || !linear_index(loop, vector, &index)) return;
  // release: pairs with acquire in doacross_wait().
  loop.posted[index / 32].fetch_or(1u << (index % 32), std::memory_order_release);
}

void doacross_end(Worker* worker) {
  Member* member = worker->member;
  MemberDoacross& loop = member->worksharing.doacross;
  SharedDoacross* slot = loop.shared;
  if (slot == nullptr) return;
  loop.shared = nullptr;
  if (loop.dimension_count > MemberDoacross::kInlineDimensions)
    object_free(worker, loop.dimensions,
                (sizeof(DoacrossDimension) + sizeof(uint64_t)) * static_cast<size_t>(loop.dimension_count));
  // acq_rel: pairs with itself: the last to leave has seen every other member's last use of the bits.
  if (slot->left.fetch_add(1, std::memory_order_acq_rel) + 1 < member->team->size()) return;
  // relaxed: the store to generation publishes them; this member's own loop count says which generation follows.
  bits_free(worker, slot->posted.load(std::memory_order_relaxed), slot->posted_bytes);
  slot->posted.store(nullptr, std::memory_order_relaxed);
  slot->left.store(0, std::memory_order_relaxed);
  // release: pairs with acquire in doacross_begin().
  slot->generation.store((member->worksharing.doacross_seen - 1) / kDoacrossSlots + 1, std::memory_order_release);
}

} // namespace chomp
