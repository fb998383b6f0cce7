// The lock behind critical sections, OpenMP's simple and nestable locks, and reductions: whatever the program itself
// makes threads wait for. base/lock.h, for the runtime's own short sections, is smaller and knows nothing of threads.
//
// It is one word inside the program's object. With few threads, one that finds it held looks again, with growing
// pauses, and takes it when it is free. With many, a thread that has looked in vain for a while joins a queue, and from
// then on newcomers join it at once; each waits on a word of its own, and only the first one looks at the lock. In the
// end they sleep, so that a preempted holder gets their CPUs. A thread that comes just when the lock is free may
// still take it before those in the queue (a lock that is handed to sleepers is idle while they wake), unless the first
// one has waited for kStarvingNs. States and proof: runtime/sync/README.md, "Locks of programs"; model:
// test/model/program_lock.pml.
#pragma once

#include <cstdint>

#include "runtime/base/atomic.h"
#include "runtime/base/cacheline.h"
#include "runtime/base/check.h"

namespace chomp {

/// A worker's entry in the queue of the lock that it waits for. A worker waits for one lock at a time.
struct alignas(kCacheLine) LockQueueNode {
  enum Turn : uint32_t { kWaits, kAsleep, kFirst };

  atomic<uint32_t> next{0}; // the thread behind, as gtid + 1; written by that thread
  atomic<uint32_t> turn{0}; // a Turn; written by the thread before, and by the owner when it sleeps
};

class ProgramLock {
public:
  constexpr ProgramLock() = default;
  ProgramLock(const ProgramLock&) = delete;
  ProgramLock& operator=(const ProgramLock&) = delete;

  /// What the program says of the lock (OpenMP 5.2, 15.1). Other hints change nothing.
  enum class Hint : uint8_t { kNone, kContended };

  /// For a lock whose hint is given once. A zeroed word is a free lock without a hint.
  explicit constexpr ProgramLock(Hint hint) : word_(hint == Hint::kContended ? kContended : 0) {}

  /// With kContended a thread joins the queue at once: threads that wait there do not disturb the holder.
  void lock(Hint hint = Hint::kNone) {
    uint32_t expected = kFree;
    // acquire: pairs with release in unlock(); relaxed on failure: lock_slow() looks again.
    if (CHOMP_UNLIKELY(
            !word_.compare_exchange_strong(expected, kHeld, std::memory_order_acquire, std::memory_order_relaxed)))
      lock_slow(hint);
  }

  bool try_lock() {
    uint32_t seen = word_.load(std::memory_order_relaxed); // relaxed: take() decides
    return take(seen);
  }

  void unlock() {
    uint32_t expected = kHeld;
    // release: pairs with acquire in lock(), take() and wait_as_first(); relaxed on failure: unlock_slow() looks again.
    if (CHOMP_UNLIKELY(
            !word_.compare_exchange_strong(expected, kFree, std::memory_order_release, std::memory_order_relaxed)))
      unlock_slow();
  }

private:
  // The word: four bits, and above them the last thread of the queue as gtid + 1, or 0.
  static constexpr uint32_t kFree = 0;
  static constexpr uint32_t kHeld = 1;
  static constexpr uint32_t kSleeps = 2;    // the first of the queue sleeps on the word: unlocking wakes it
  static constexpr uint32_t kStarving = 4;  // the first of the queue has waited too long: nobody goes before it
  static constexpr uint32_t kContended = 8; // the program's hint
  static constexpr uint32_t kLastShift = 4;
  static constexpr uint32_t kLast = ~uint32_t{0} << kLastShift;

  bool take(uint32_t seen) {
    // acquire: pairs with release in unlock(); relaxed on failure: nothing is read.
    return (seen & (kHeld | kStarving)) == 0 &&
           word_.compare_exchange_strong(seen, seen | kHeld, std::memory_order_acquire, std::memory_order_relaxed);
  }

  __attribute__((noinline)) void lock_slow(Hint hint);
  __attribute__((noinline)) void unlock_slow();
  void queue_up();
  void wait_as_first(uint32_t self, LockQueueNode& own, bool may_spin);

  atomic<uint32_t> word_{kFree};
};

// GCC's omp_lock_t has no more room.
static_assert(sizeof(ProgramLock) == 4);

} // namespace chomp
