// How a thread waits: it spins, offers its CPU to others, and sleeps at last (KMP_BLOCKTIME, KMP_USE_YIELD). Waiting
// decides for all: the work loop (wait/idle.cpp), program_lock.cpp, numbered_eventcount.h, the ring of loops. Waits
// that are brief by construction pause by base/backoff.h.
#pragma once

#include <cstdint>

#include "runtime/base/atomic.h"
#include "runtime/base/cacheline.h"
#include "runtime/base/backoff.h"
#include "runtime/base/os_linux.h"
#include "runtime/base/policy.h"
#include "runtime/config/config.h"

namespace chomp {

inline int64_t spin_limit_ns() {
  return config.blocktime_us > INT64_MAX / 1000 ? INT64_MAX : config.blocktime_us * 1000;
}

/// Whether others want the CPU of a thread that waits: an estimate (threads/running_threads.h).
enum class CpuDemand : uint8_t {
  kUnknown, // this process has a CPU for each thread; of other programs, yields tell
  kLikely,  // the same, but threads that have no part in the region are awake
  kCertain, // there are more threads than CPUs
};

/// What a thread remembers of the times when it offered its CPU.
struct CpuOffers {
  uint64_t long_ended = 0; // when somebody had kept the CPU for long, by the cycle counter
  uint32_t given_back = 0; // how often since then somebody ran and soon gave the CPU back
  bool was_taken = false;  // another thread ran the last time
};

/// Notes that yields have kept the CPU from a thread for long, or moves to another CPU. Until `until`, by the cycle
/// counter, no thread that may sleep yields, and none moves. If that takes long again just after it, it is remembered
/// twice as long.
struct alignas(kCacheLine) CostlyYields {
  atomic<uint64_t> until{0}, length{policy::kCostlyFirstCycles};
};
extern CostlyYields costly_yields;

inline bool yields_are_costly() {
  uint64_t until = costly_yields.until.load(std::memory_order_relaxed); // relaxed: a hint
  return until != 0 && until > cycle_counter();
}

/// Notes that the calling thread has moved to another CPU, from `began` by the cycle counter until now. If others kept
/// that CPU for long, this counts as a long yield.
void note_move(CpuOffers* offers, uint64_t began);

/// One wait, until it succeeds or the thread has slept.
class Waiting {
public:
  /// `offers` is the calling thread's.
  explicit Waiting(CpuOffers* offers) : offers_(offers) {}

  /// Pauses between two looks. False when it is time to sleep instead, and from then on. `sharers`: how many other
  /// threads of this CPU only yield as a rule.
  bool pause(CpuDemand demand, int32_t sharers = 0);
  /// Pauses in a wait that does not sleep.
  void pause_awake() {
    ++rounds_;
    cpu_number_may_change();
    pause_or_switch();
  }
  /// Pauses since the wait began.
  uint32_t rounds() const { return rounds_; }
  /// Whether the last pause has looked at the clock; what it showed.
  bool saw_clock() const { return rounds_ % policy::kRoundsBeforeClock == 0; }
  int64_t now_ns() const { return now_ns_; }
  /// The thread has slept, or found something: the next pause begins a new wait.
  void restart() { rounds_ = 0, over_ = false; }

private:
  bool goes_on(CpuDemand demand, int32_t sharers);

  CpuOffers* offers_;
  int64_t began_ns_ = 0, now_ns_ = 0;
  uint32_t rounds_ = 0;
  bool over_ = false;
};

} // namespace chomp
