// Waiting for a program's lock. See program_lock.h.
#include "runtime/sync/program_lock.h"

#include "runtime/base/os_linux.h"
#include "runtime/core/team.h"
#include "runtime/core/worker.h"

namespace chomp {
namespace {

constexpr int kLooksBeforeQueue = 64;      // at a held lock that has no queue
constexpr int kMostPauses = 16;            // between two looks
constexpr int kLooksAsFirst = 1000;        // some 20 to 50 us: what sleeping and waking cost
constexpr int kLooksInQueue = 200;         // at one's own word
constexpr int kLooksCrowded = 10;          // more threads than CPUs: the holder may need ours
constexpr int64_t kStarvingNs = 1'000'000; // from now on nobody goes before the first of the queue

LockQueueNode& place_of(uint32_t queued) { return worker_by_gtid(static_cast<int>(queued) - 1)->lock_node; }

void pause_times(int count) {
  for (int i = 0; i < count; ++i) cpu_pause();
}

// Waits until the thread before us in the queue has got the lock.
void wait_for_turn(const ProgramLock* lock, LockQueueNode& own, bool may_spin) {
  for (int looks = may_spin ? kLooksInQueue : kLooksCrowded; looks > 0; --looks) {
    if (own.turn.load(std::memory_order_acquire) == LockQueueNode::kFirst)
      return; // acquire: pairs with release in pass_on()
    cpu_pause();
  }
  uint32_t waits = LockQueueNode::kWaits;
  // relaxed: says only that we sleep. acquire on failure: pairs with release in pass_on(): it is our turn.
  if (!own.turn.compare_exchange_strong(waits, LockQueueNode::kAsleep, std::memory_order_relaxed,
                                        std::memory_order_acquire))
    return;
  ShownSleep shown;
  shown.show(SleepFor::kLock, lock);
  while (own.turn.load(std::memory_order_acquire) != LockQueueNode::kFirst) // acquire: pairs with release in pass_on()
    futex_wait(&own.turn, LockQueueNode::kAsleep);
}

// Makes the thread behind us the first of the queue. It has swapped itself into the lock's word, and is about to store
// its number in `own.next`.
void pass_on(LockQueueNode& own) {
  uint32_t next;
  // acquire: pairs with release in queue_up(): the other's LockQueueNode is ready.
  for (int looks = 0; (next = own.next.load(std::memory_order_acquire)) == 0; ++looks)
    looks < kLooksInQueue ? cpu_pause() : cpu_yield();
  LockQueueNode& theirs = place_of(next);
  // release: pairs with acquire in wait_for_turn(). A LockQueueNode is never unmapped: the wake may come late.
  if (theirs.turn.exchange(LockQueueNode::kFirst, std::memory_order_release) == LockQueueNode::kAsleep)
    futex_wake(&theirs.turn, 1);
}

} // namespace

void ProgramLock::lock_slow(Hint hint) {
  uint32_t seen = word_.load(std::memory_order_relaxed); // relaxed: take() decides
  if ((seen & kContended) != 0) hint = Hint::kContended;
  int pauses = 1;
  for (int looks = 0; looks < kLooksBeforeQueue; ++looks) {
    if (take(seen)) return;
    if (hint == Hint::kContended || (seen & kLast) != 0) break;
    pause_times(pauses);
    if (pauses < kMostPauses) pauses *= 2;
    seen = word_.load(std::memory_order_relaxed); // relaxed: take() decides
  }
  queue_up();
}

void ProgramLock::queue_up() {
  Worker* worker = this_worker();
  auto self = static_cast<uint32_t>(worker->id); // gtid + 1
  LockQueueNode& own = worker->lock_node;
  bool may_spin = worker->member->team->may_spin();
  // relaxed, both: the exchange below releases them.
  own.next.store(0, std::memory_order_relaxed);
  own.turn.store(LockQueueNode::kWaits, std::memory_order_relaxed);
  uint32_t seen = word_.load(std::memory_order_relaxed); // relaxed: the exchange decides
  // acq_rel: pairs with the same exchange of the threads before and behind: a LockQueueNode is ready before it can be
  // found.
  while (!word_.compare_exchange_weak(seen, (seen & ~kLast) | self << kLastShift, std::memory_order_acq_rel,
                                      std::memory_order_relaxed)) {
  }
  if (uint32_t before = seen >> kLastShift) {
    place_of(before).next.store(self, std::memory_order_release); // release: pairs with acquire in pass_on()
    wait_for_turn(this, own, may_spin);
  }
  wait_as_first(self, own, may_spin);
}

void ProgramLock::wait_as_first(uint32_t self, LockQueueNode& own, bool may_spin) {
  ShownSleep shown;
  int64_t since_ns = 0;
  int looks = may_spin ? kLooksAsFirst : kLooksCrowded;
  for (;;) {
    uint32_t seen = word_.load(std::memory_order_relaxed); // relaxed: the exchanges decide
    if ((seen & kHeld) == 0) {
      bool last = seen >> kLastShift == self;
      uint32_t taken = (seen | kHeld) & ~(kStarving | kSleeps | (last ? kLast : 0));
      // acquire: pairs with release in unlock(); relaxed on failure: we look again.
      if (!word_.compare_exchange_weak(seen, taken, std::memory_order_acquire, std::memory_order_relaxed)) continue;
      if (!last) pass_on(own);
      return;
    }
    if (--looks > 0) {
      cpu_pause();
      continue;
    }
    int64_t now = monotonic_ns();
    if (since_ns == 0) since_ns = now;
    shown.show(SleepFor::kLock, this);
    uint32_t asleep = seen | kSleeps | (now - since_ns > kStarvingNs ? kStarving : 0);
    // relaxed: the word alone says that a thread has to be woken, and futex_wait() compares it.
    if (seen == asleep ||
        word_.compare_exchange_strong(seen, asleep, std::memory_order_relaxed, std::memory_order_relaxed))
      futex_wait(&word_, asleep);
    looks = kLooksCrowded;
  }
}

void ProgramLock::unlock_slow() {
  uint32_t seen = word_.load(std::memory_order_relaxed); // relaxed: the exchange decides
  // release: pairs with acquire in lock(), take() and wait_as_first(). From here on the lock may be somebody else's, or
  // gone.
  while (!word_.compare_exchange_weak(seen, seen & ~(kHeld | kSleeps), std::memory_order_release,
                                      std::memory_order_relaxed)) {
  }
  if ((seen & kSleeps) != 0) futex_wake(&word_, 1);
}

} // namespace chomp
