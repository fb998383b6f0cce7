// A small lock for short critical sections. A thread that waits for the lock spins briefly, then sleeps, so that it
// burns no CPU while the holder is preempted. Not recursive. Lock order: runtime/README.md, "Lock ranks".
#pragma once

#include <cstdint>
#include <mutex>

#include "runtime/base/atomic.h"
#include "runtime/base/check.h"
#include "runtime/base/os_linux.h"

namespace chomp {

class Lock {
public:
  constexpr Lock() = default;
  Lock(const Lock&) = delete;
  Lock& operator=(const Lock&) = delete;

  void lock() {
    uint32_t expected = kFree;
    // acquire: pairs with release in unlock(); relaxed on failure: lock_slow() looks again.
    if (CHOMP_UNLIKELY(
            !state_.compare_exchange_strong(expected, kHeld, std::memory_order_acquire, std::memory_order_relaxed)))
      lock_slow();
  }

  bool try_lock() {
    uint32_t expected = kFree;
    // acquire: pairs with release in unlock(); relaxed on failure: nothing is read.
    return state_.load(std::memory_order_relaxed) == kFree &&
           state_.compare_exchange_strong(expected, kHeld, std::memory_order_acquire, std::memory_order_relaxed);
  }

  void unlock() {
    // release: pairs with acquire in lock(), try_lock() and lock_slow().
    if (CHOMP_UNLIKELY(state_.fetch_sub(kHeld, std::memory_order_release) != kHeld)) unlock_slow();
  }

  /// For the child of a fork(): the thread that held the lock does not exist any more.
  void reset_after_fork() { state_.store(kFree, std::memory_order_relaxed); } // relaxed: one thread exists

private:
  static constexpr uint32_t kFree = 0, kHeld = 1, kContended = 2;

  // The state was "contended", and is "held" now, or "contended" again. Whoever is woken makes it that once more.
  __attribute__((noinline, cold)) void unlock_slow() {
    state_.store(kFree, std::memory_order_release); // release: pairs as above
    futex_wake(&state_, 1);
  }

  __attribute__((noinline, cold)) void lock_slow() {
    // A hundred pauses in all. Those that wait look ever more rarely, since each look takes the holder's line away.
    for (int look = 1; look < 14; ++look) {
      for (int left = look; left > 0; --left) cpu_pause();
      if (try_lock()) return;
    }
    // From here on the state says "contended", so that the holder wakes one of us; acquire: pairs with release in
    // unlock().
    while (state_.exchange(kContended, std::memory_order_acquire) != kFree) futex_wait(&state_, kContended);
  }

  atomic<uint32_t> state_{kFree};
};

} // namespace chomp
