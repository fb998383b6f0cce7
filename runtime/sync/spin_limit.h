// The spin limit: how long a thread that waits looks for its event before it sleeps (KMP_BLOCKTIME, and what goes with
// it). SpinLimit is for waits that run no tasks (numbered_eventcount.h); the work loop (idle.cpp) has the same limits.
#pragma once

#include <cstdint>

#include "runtime/base/atomic.h"
#include "runtime/base/cacheline.h"
#include "runtime/base/os_linux.h"
#include "runtime/config/config.h"
#include "runtime/config/policy.h"

namespace chomp {

inline constexpr uint32_t kRoundsBeforeClock = 32; // rounds between two looks at the clock
inline constexpr uint32_t kYieldsCrowded = 8;      // more threads than CPUs: rounds, each with a yield, before parking

inline int64_t spin_limit_ns() {
  if (!config.blocktime_chosen) return policy::kDefaultSpinNs;
  return config.blocktime_us > INT64_MAX / 1000 ? INT64_MAX : config.blocktime_us * 1000;
}

/// Yields the CPU. False if others kept it for long: there are many of them, or the system owes this thread little, so
/// that each further yield would cost as much. A thread that waits should sleep then.
inline bool yield_is_brief() {
  constexpr uint64_t kLongCycles = 1 << 21; // about a millisecond
  uint64_t began = cycle_counter();
  cpu_yield();
  return cycle_counter() - began < kLongCycles;
}

/// Yields have kept the CPU from a thread for long: until when, by the cycle counter, none yields that may sleep.
alignas(kCacheLine) inline constinit atomic<uint64_t> yields_costly_until{0};

inline bool yields_are_costly() {
  uint64_t until = yields_costly_until.load(std::memory_order_relaxed); // relaxed: a hint
  return until != 0 && until > cycle_counter();
}

/// For a thread that has spun for a while, in a team that has a CPU for each of its threads: offers the CPU to other
/// callers' threads and to other processes. False if these keep it for long, now or lately: it should sleep instead,
/// since a thread that is woken gets a CPU sooner than one that has yielded.
inline bool offer_cpu() {
  constexpr uint64_t kRememberCycles = uint64_t{1} << 33; // two to four seconds
  if (yields_are_costly()) return false;
  if (yield_is_brief()) return true;
  if (spin_limit_ns() <= policy::kDefaultSpinNs)
    yields_costly_until.store(cycle_counter() + kRememberCycles, std::memory_order_relaxed); // relaxed: a hint
  return false;
}

class SpinLimit {
public:
  /// `may_spin` is the team's.
  explicit SpinLimit(bool may_spin) : may_spin_(may_spin) {}

  /// Pauses between two looks. False when it is time to sleep instead, and from then on.
  bool pause() {
    if (over_) return false;
    ++rounds_;
    cpu_pause();
    over_ = may_spin_ ? !may_go_on() : !may_go_on_in_crowd();
    return true;
  }

private:
  // Other processes may share the CPUs, or the threads of the team one CPU, so the thread yields after a while. The
  // work loop yields later, since what it waits for takes longer as a rule.
  static constexpr uint32_t kPausesBeforeYield = 200;

  bool may_go_on_in_crowd() {
    bool brief = config.use_yield == 0 || yield_is_brief();
    return brief && rounds_ < kYieldsCrowded;
  }

  bool may_go_on() {
    bool look_at_clock = rounds_ % kRoundsBeforeClock == 0;
    if (rounds_ > kPausesBeforeYield && config.use_yield == 1 && !offer_cpu()) {
      if (spin_limit_ns() <= policy::kDefaultSpinNs) return false;
      look_at_clock = true;
    }
    if (!look_at_clock) return true;
    int64_t now = monotonic_ns();
    if (began_ns_ == 0) began_ns_ = now;
    return now - began_ns_ < spin_limit_ns();
  }

  bool may_spin_;
  bool over_ = false;
  uint32_t rounds_ = 0;
  int64_t began_ns_ = 0;
};

} // namespace chomp
