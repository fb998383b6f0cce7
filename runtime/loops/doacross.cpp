// Doacross loops: ordered(n) with depend(sink: …) and depend(source) (OpenMP 5.2, 15.9.6). The iterations of the loop
// nest are numbered in the order of the sequential loop; a bit per iteration says that it has posted. The bits live
// until the last member leaves the loop (shared_block.cpp).
//
//   In a serial team nothing is recorded: every wait is already satisfied.
//
// In a region that is being cancelled nobody waits, since the iterations of members that have left it will not post.
#include "runtime/base/check.h"
#include "runtime/base/race_detector.h"
#include "runtime/config/config.h"
#include "runtime/core/memory.h"
#include "runtime/core/team.h"
#include "runtime/core/worker.h"
#include "runtime/loops/doacross.h"
#include "runtime/loops/loop_index.h"
#include "runtime/loops/shared_block.h"
#include "runtime/loops/worksharing.h"
#include "runtime/sync/numbered_eventcount.h"
#include "runtime/tasks/cancel.h"

namespace chomp {

/// What the members share of one loop, with the bits of its iterations behind it; zeroed.
struct alignas(kCacheLine) DoacrossShared {
  NumberedEventcount posted_events; // where members sleep until an iteration has posted

  atomic<uint32_t>& posted_word(uint64_t index) { return reinterpret_cast<atomic<uint32_t>*>(this + 1)[index / 32]; }
  static size_t bytes(uint64_t iterations) {
    return sizeof(DoacrossShared) + iterations / 8 + 8 + (race_detector_present() ? iterations : 0);
  }

  /// The address that stands for the iteration when a race detector is notified of its post. The word with its bit will
  /// not do: other iterations share it, and a thread that waits for one would count as ordered behind all.
  const void* mark(uint64_t iterations, uint64_t index) const {
    return reinterpret_cast<const char*>(this + 1) + iterations / 8 + 8 + index;
  }
};

namespace {

/// The number of the iteration in sequential order; false if it lies outside the loop nest.
bool linear_index(const MemberDoacross& loop, const int64_t* vector, uint64_t* index) {
  uint64_t linear = 0;
  for (int i = 0; i < loop.dimension_count; ++i) {
    const DoacrossDimension& dimension = loop.dimensions[i];
    bool up = dimension.stride > 0;
    if (up ? vector[i] < dimension.lower || vector[i] > dimension.upper
           : vector[i] > dimension.lower || vector[i] < dimension.upper)
      return false;
    if (loop.upper_is_count && vector[i] == dimension.upper) return false;
    linear = linear * loop.lengths[i] + loop_last_index<int64_t>(dimension.lower, vector[i], dimension.stride);
  }
  *index = linear;
  return true;
}

const void* mark_of(const MemberDoacross& loop, uint64_t index) {
  uint64_t iterations = 1;
  for (int i = 0; i < loop.dimension_count; ++i) iterations *= loop.lengths[i];
  return loop.shared->mark(iterations, index);
}

// The bits of so many iterations take 4 GB. Where an inner loop of Clang's code is empty, it passes a number that may
// be of the order of 2^32 or 2^63.
constexpr uint64_t kMostIterations = uint64_t{1} << 35;

/// Copies the dimensions, since the caller's may be gone at the next call. Returns the number of iterations, or more
/// than kMostIterations.
uint64_t keep_dimensions(Worker* worker, MemberDoacross& loop, int count, const DoacrossDimension* dimensions) {
  size_t each = sizeof(DoacrossDimension) + sizeof(uint64_t);
  loop.dimension_count = count;
  loop.upper_is_count = false;
  loop.dimensions = loop.inline_dimensions;
  loop.lengths = loop.inline_lengths;
  if (count > MemberDoacross::kInlineDimensions) {
    loop.dimensions = static_cast<DoacrossDimension*>(object_allocate(worker, each * static_cast<size_t>(count)));
    loop.lengths = reinterpret_cast<uint64_t*>(loop.dimensions + count);
  }
  uint64_t total = 1;
  bool is_empty = false;
  for (int i = 0; i < count; ++i) {
    const DoacrossDimension& dimension = dimensions[i];
    CHECK(dimension.stride != 0);
    loop.dimensions[i] = dimension;
    bool empty = loop_is_empty<int64_t>(dimension.lower, dimension.upper, dimension.stride);
    loop.lengths[i] = empty ? 0 : loop_last_index<int64_t>(dimension.lower, dimension.upper, dimension.stride) + 1;
    is_empty = is_empty || empty;
    if (__builtin_mul_overflow(total, loop.lengths[i], &total)) total = UINT64_MAX;
  }
  return is_empty ? 0 : total;
}

void free_dimensions(Worker* worker, const MemberDoacross& loop) {
  if (loop.dimension_count > MemberDoacross::kInlineDimensions)
    object_free(worker, loop.dimensions,
                (sizeof(DoacrossDimension) + sizeof(uint64_t)) * static_cast<size_t>(loop.dimension_count));
}

/// A wait or a post without DoacrossShared: in a serial team, where it does nothing, or in a loop that is too long.
bool nobody_waits(const MemberDoacross& loop) {
  if (loop.is_too_long) fatal("doacross loop with more than 2^35 iterations");
  return false;
}

} // namespace

void doacross_begin(Worker* worker, int dimension_count, const DoacrossDimension* dimensions) {
  if (worker->member->team->serial()) return;
  MemberDoacross& loop = worker->member->worksharing.doacross;
  uint64_t total = keep_dimensions(worker, loop, dimension_count, dimensions);
  loop.is_too_long = total > kMostIterations;
  if (loop.is_too_long) return free_dimensions(worker, loop);
  size_t bytes = DoacrossShared::bytes(total);
  loop.shared = static_cast<DoacrossShared*>(shared_block_take(worker, &loop.block, bytes));
}

// The loop is made of the first dimension, or with collapse(n) of the first n. Clang's upper bounds are counts, so
// these decide where both forms explain the number of iterations, with different n: a row too many would be waited for
// for ever.
void doacross_note_loop_slow(MemberDoacross& loop, uint64_t iterations) {
  uint64_t if_count = 1;
  for (int i = 0; i < loop.dimension_count && !loop.upper_is_count; ++i) {
    const DoacrossDimension& dimension = loop.dimensions[i];
    if (dimension.lower != 0 || dimension.stride != 1) return;
    if_count *= loop.lengths[i] - 1;
    loop.upper_is_count = iterations == if_count;
  }
}

int doacross_dimension_count(const Worker* worker) {
  const MemberDoacross& loop = worker->member->worksharing.doacross;
  return loop.shared == nullptr ? 0 : loop.dimension_count;
}

bool doacross_wait(Worker* worker, const int64_t* vector) {
  MemberDoacross& loop = worker->member->worksharing.doacross;
  uint64_t index;
  if (loop.shared == nullptr) return nobody_waits(loop);
  if (!linear_index(loop, vector, &index)) return false; // outside the nest
  uint32_t bit = 1u << (index % 32);
  const atomic<uint32_t>& posted = loop.shared->posted_word(index);
  auto has_posted = [&posted, bit] {
    // acquire: pairs with release in doacross_post(); what the other iteration wrote before is visible.
    return (posted.load(std::memory_order_acquire) & bit) != 0;
  };
  auto may_go_on = [has_posted, worker] { return has_posted() || cancel_requested(worker, CancelKind::kParallel); };
  wait_for_member(worker, loop.shared->posted_events, index, may_go_on);
  if (!has_posted()) return false;
  if (race_detector_present()) memory_taken(mark_of(loop, index));
  return true;
}

void doacross_post(Worker* worker, const int64_t* vector) {
  MemberDoacross& loop = worker->member->worksharing.doacross;
  uint64_t index;
  if (loop.shared == nullptr) return void(nobody_waits(loop));
  if (!linear_index(loop, vector, &index)) return;
  if (race_detector_present()) memory_given(mark_of(loop, index));
  // release: pairs with acquire in doacross_wait().
  loop.shared->posted_word(index).fetch_or(1u << (index % 32), std::memory_order_release);
  loop.shared->posted_events.notify(index);
}

void doacross_end(Worker* worker) {
  MemberDoacross& loop = worker->member->worksharing.doacross;
  loop.is_too_long = false;
  if (loop.shared == nullptr) return;
  free_dimensions(worker, loop);
  loop.shared = nullptr;
  shared_block_leave(worker, &loop.block);
}

} // namespace chomp
