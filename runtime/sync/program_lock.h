// The lock behind critical sections, OpenMP's simple and nestable locks, and reductions: all for which the program
// itself makes threads wait. base/lock.h, for the runtime's own short sections, is smaller and knows nothing of
// threads.
//
// It is one word inside the program's object. A thread that finds it held joins a queue. There each waits on a word of
// its own, and only the first looks at the lock. A thread that comes just when the lock is free takes it before those
// in the queue. A thread that takes the lock again and again has the word and the data in its cache. A hand-over costs
// more than many a section. So the first of the queue lets that thread go on for kStarvingNs, and looks ever more
// rarely. Then the lock is granted to the first. So for each thread before it in the queue, a thread waits for that
// time and one section at most. In the end threads sleep. With more threads than CPUs a thread looks for longer before
// it queues up, and then sleeps sooner: a preempted holder gets its CPU. States and proof: runtime/sync/README.md,
// "Locks of programs"; model: test/model/program_lock.pml.
#pragma once

#include <cstdint>

#include "runtime/base/atomic.h"
#include "runtime/base/cacheline.h"
#include "runtime/base/check.h"
#include "runtime/base/backoff.h"

namespace chomp {

class ProgramLock;

/// A worker's entry in the queue of the lock that it waits for. A worker waits for one lock at a time.
struct alignas(kCacheLine) LockQueueNode {
  enum Turn : uint32_t { kWaits, kAsleep, kFirst };

  atomic<ProgramLock*> lock{
      nullptr};             // the lock whose queue this is in, or is about to join or leave; written by the owner
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

  /// With kContended a thread joins the queue at once, also with more threads than CPUs.
  void lock(Hint hint = Hint::kNone) {
    if (CHOMP_UNLIKELY(!take())) lock_slow(hint);
  }

  /// Takes the lock if it is free, by one instruction, whatever else the word says: the thread that holds the lock need
  /// not know that there is a queue.
  bool take() {
    // acquire: pairs with release in release() and unlock_slow().
    return (word_.fetch_or(kHeld, std::memory_order_acquire) & kHeld) == 0;
  }

  /// The same for a program that may try in a loop.
  bool try_lock() {
    // relaxed: take() decides. A look first, since take() fetches the line for writing.
    if (CHOMP_LIKELY((word_.load(std::memory_order_relaxed) & kHeld) == 0 && take())) return true;
    light_pause(); // the holder may be on this kernel thread
    return false;
  }

  void unlock() {
    if (CHOMP_UNLIKELY(!release())) unlock_slow();
  }
  __attribute__((noinline)) void unlock_slow();

  /// The first step of unlock(), also for inlined code (abi/inlined.cpp): says no, and does nothing, if the word says
  /// more than that the lock is held.
  bool release() {
    // A look comes first, since an exchange that fails costs as much as one that succeeds. The exchange expects a
    // constant, not what was seen, so that it need not wait for the look (0.5 of 5 ns).
    uint32_t expected = kHeld;
    // release: pairs with acquire in take() and take_as_first(); relaxed on failure: unlock_slow() looks again.
    return only_held() &&
           word_.compare_exchange_strong(expected, 0, std::memory_order_release, std::memory_order_relaxed);
  }

  /// Of the thread that holds the lock: observers know that it does, so they are to hear of the end. release()
  /// says no then, and so costs nothing where nobody observes.
  void note_announced() { word_.fetch_or(kAnnounced, std::memory_order_relaxed); } // relaxed: read by this thread only
  bool is_announced() const { return (word_.load(std::memory_order_relaxed) & kAnnounced) != 0; } // relaxed: as above

  /// Called in the child of fork(), for a lock with a queue of threads that do not exist here: empties the queue. The
  /// lock stays held, unless it was just being granted to one of them.
  void forget_queue_after_fork();

private:
  // The word, from its lowest bit.
  static constexpr uint32_t kHeld = 1;
  static constexpr uint32_t kSleeps = 2;          // the first of the queue sleeps on the word: unlocking wakes it
  static constexpr uint32_t kStarving = 4;        // the first has waited for long: the next unlock() grants it the lock
  static constexpr uint32_t kGranted = 8;         // held, by the first of the queue, which does not know it yet
  static constexpr uint32_t kJoining = 16;        // a thread is about to be the last of the queue
  static constexpr uint32_t kContended = 32;      // the program's hint
  static constexpr uint32_t kOneRelease = 64;     // how often the lock was released since the first of the queue
  static constexpr uint32_t kReleases = 127 << 6; // became first, modulo 128; 0 without a queue
  static constexpr uint32_t kAnnounced = 1 << 13; // the holder has told observers (note_announced())
  static constexpr uint32_t kLastShift = 14;      // above: the last thread of the queue as gtid + 1, or 0
  static constexpr uint32_t kLast = ~uint32_t{0} << kLastShift;

  // relaxed: the exchange compares it.
  bool only_held() const {
#if defined(__x86_64__) && !defined(CHOMP_VIRTUAL) && !__has_feature(thread_sanitizer)
    bool is; // of an atomic load the compiler makes a load and a comparison
    asm("cmpl %2, %1" : "=@cce"(is) : "m"(word_), "i"(kHeld));
    return is;
#else
    return word_.load(std::memory_order_relaxed) == kHeld;
#endif
  }

  __attribute__((noinline)) void lock_slow(Hint hint);
  uint32_t join_queue(uint32_t self);
  void queue_up(uint32_t self, LockQueueNode& own, bool may_spin);
  void wait_as_first(uint32_t self, LockQueueNode& own, bool may_spin);
  bool take_as_first(uint32_t seen, uint32_t self, LockQueueNode& own);
  bool changes_in_a_moment(uint32_t seen) const;
  static bool others_have(uint32_t seen) { return (seen & (kHeld | kGranted)) == kHeld; }

  atomic<uint32_t> word_{0};
};

// GCC's omp_lock_t has no more room.
static_assert(sizeof(ProgramLock) == 4);

} // namespace chomp
