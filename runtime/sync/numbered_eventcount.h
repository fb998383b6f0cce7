// Members that wait for numbered events sleep here, each for a number of its own: its turn in an ordered loop
// (ordered.cpp), or a posted iteration of a doacross loop (doacross.cpp). The member that brings an event about wakes
// those that wait for it. If none of them sleeps, this costs a plain load.
//
//     waits for n                              brings n about
//   n0  c = count                            e1  store what says that n has come (release)
//   n1  asleep: set the bit of n             e2  light fence
//   n2  heavy fence                          e3  the bit of n is not set? done
//   n3  has n come?                          e4  clear it, count + 1, wake those that sleep with this bit
//   n4  sleep, with this bit, if count == c
//
// Numbers share bits, so only e4 clears a bit: all that share it wake, and set it again. Proof: runtime/sync/README.md,
// "Numbered eventcounts"; model: test/model/numbered_eventcount.pml. A zeroed NumberedEventcount is valid.
#pragma once

#include <cstdint>

#include "runtime/base/atomic.h"
#include "runtime/base/check.h"
#include "runtime/base/os_linux.h"
#include "runtime/sync/shown_wait.h"
#include "runtime/sync/waiting.h"

namespace chomp {

class NumberedEventcount {
public:
  /// Called when event `number` has come, and what has_come() looks at has been stored.
  void notify(uint64_t number) {
    light_fence(); // pairs with heavy_fence() in announce(): either we see the bit or has_come() sees our store
    // relaxed: ordered by the fence.
    if (CHOMP_UNLIKELY((asleep_.load(std::memory_order_relaxed) & bit_of(number)) != 0)) notify_slow(number);
  }

  /// Spins for a while, then sleeps, until has_come() is true; has_come() acquires what notify()'s caller has stored.
  /// `demand` is the team's, `offers` the calling thread's. If has_come() may become true without a notify(), the wait
  /// needs a timeout, after which it asks again.
  template <typename HasCome>
  void wait(uint64_t number, CpuDemand demand, CpuOffers* offers, HasCome has_come, int64_t timeout_ns = kNoTimeout) {
    if (CHOMP_UNLIKELY(!has_come())) wait_slow(number, demand, Waiting(offers), has_come, timeout_ns);
  }

private:
  template <typename HasCome>
  __attribute__((noinline)) void wait_slow(uint64_t number, CpuDemand demand, Waiting waiting, HasCome has_come,
                                           int64_t timeout_ns) {
    ShownSleep shown;
    while (!has_come()) {
      if (waiting.pause(demand)) continue;
      shown.show(SleepFor::kOrderedTurn, this);
      uint32_t seen = announce(number);
      if (!has_come()) sleep(number, seen, timeout_ns);
    }
  }

  // Neighbours get different bits.
  static uint32_t bit_of(uint64_t number) { return 1u << (number * 0x9e3779b97f4a7c15u >> 59); }

  uint32_t announce(uint64_t number);
  void sleep(uint64_t number, uint32_t seen, int64_t timeout_ns);
  CHOMP_SLOW void notify_slow(uint64_t number);

  atomic<uint32_t> asleep_{0}; // bits of the numbers that somebody may sleep for
  atomic<uint32_t> count_{0};
};

} // namespace chomp
