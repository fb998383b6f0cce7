// The spin limit: how long a thread that waits looks for its event before it sleeps (KMP_BLOCKTIME, and what goes with
// it). SpinLimit is for waits that run no tasks (numbered_eventcount.h, program_lock.cpp); the work loop (idle.cpp) has
// the same limits.
#pragma once

#include <cstdint>

#include "runtime/base/atomic.h"
#include "runtime/base/cacheline.h"
#include "runtime/base/os_linux.h"
#include "runtime/config/config.h"
#include "runtime/base/policy.h"

namespace chomp {

inline constexpr uint32_t kRoundsBeforeClock = 32; // rounds between two looks at the clock
inline constexpr uint32_t kYieldsCrowded = 16;     // more threads than CPUs: rounds, each with a yield, before parking

inline int64_t spin_limit_ns() {
  return config.blocktime_us > INT64_MAX / 1000 ? INT64_MAX : config.blocktime_us * 1000;
}

/// Yields the CPU. Returns how many cycles others kept it if that is long, else 0. A long yield means that others are
/// many, or that the system gives this thread little time: each further yield may cost as much. `sharers`: how many
/// other threads of this CPU only yield as a rule.
inline uint64_t yield_and_see(int32_t sharers = 0) {
  // About 0.2 ms, which is longer than most calls of another library's threads, and 20 us for each.
  constexpr uint64_t kLongCycles = 400'000, kYieldCycles = 40'000;
  uint64_t began = cycle_counter();
  cpu_yield();
  uint64_t took = cycle_counter() - began;
  return took >= kLongCycles + static_cast<uint64_t>(sharers) * kYieldCycles ? took : 0;
}

/// Notes that yields have kept the CPU from a thread for long. Until `until`, by the cycle counter, no thread that may
/// sleep yields. If yields are long again just after that, it is remembered twice as long.
struct alignas(kCacheLine) CostlyYields {
  static constexpr uint64_t kFirst = uint64_t{1} << 27, kLongest = uint64_t{1} << 33; // some 50 ms, some 3 s
  atomic<uint64_t> until{0}, length{kFirst};
};
inline constinit CostlyYields costly_yields;

inline bool yields_are_costly() {
  uint64_t until = costly_yields.until.load(std::memory_order_relaxed); // relaxed: a hint
  return until != 0 && until > cycle_counter();
}

/// When the last long yield of a thread ended, by the cycle counter.
struct LastLongYield {
  uint64_t ended = 0;
};

/// Called when a yield was long. Once is chance: a CPU may be lost at any time, and is lost when a thread sleeps, too.
/// Yields are costly if they take half of the time or more: that is, if this one took as long as the time between the
/// last one and it.
inline void remember_long_yield(LastLongYield* last, uint64_t took) {
  // relaxed, all: hints.
  uint64_t now = cycle_counter(), until = costly_yields.until.load(std::memory_order_relaxed);
  uint64_t length = costly_yields.length.load(std::memory_order_relaxed);
  bool chance = now - took - last->ended > took;
  last->ended = now;
  if (until > now) return; // another thread has found out too
  bool again = until != 0 && now - until < length;
  if (chance && !again) return;
  length = !again ? CostlyYields::kFirst : length < CostlyYields::kLongest ? 2 * length : length;
  costly_yields.length.store(length, std::memory_order_relaxed);
  costly_yields.until.store(now + length, std::memory_order_relaxed);
}

/// Offers the CPU to threads of this process and of others. False if these have kept it for long lately: the caller
/// should sleep instead, since a thread that is woken gets a CPU sooner than one that has yielded.
inline bool offer_cpu(LastLongYield* last, int32_t sharers = 0) {
  if (yields_are_costly()) return false;
  if (uint64_t took = yield_and_see(sharers); took != 0) remember_long_yield(last, took);
  return true;
}

class SpinLimit {
public:
  /// `may_spin` is the team's, `last` the calling thread's.
  SpinLimit(bool may_spin, LastLongYield* last) : may_spin_(may_spin), last_(last) {}

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

  // One long yield is enough here: the thread that is waited for runs, or another program does.
  bool may_go_on_in_crowd() {
    if (config.use_yield == 0) return rounds_ < kYieldsCrowded;
    if (yields_are_costly()) return false;
    uint64_t took = yield_and_see();
    if (took != 0) remember_long_yield(last_, took);
    return took == 0 && rounds_ < kYieldsCrowded;
  }

  bool may_go_on() {
    bool look_at_clock = rounds_ % kRoundsBeforeClock == 0;
    if (rounds_ > kPausesBeforeYield && config.use_yield == 1 && !offer_cpu(last_)) {
      if (spin_limit_ns() <= policy::kDefaultSpinNs) return false;
      look_at_clock = true;
    }
    if (!look_at_clock) return true;
    int64_t now = monotonic_ns();
    if (began_ns_ == 0) began_ns_ = now;
    return now - began_ns_ < spin_limit_ns();
  }

  bool may_spin_;
  LastLongYield* last_;
  bool over_ = false;
  uint32_t rounds_ = 0;
  int64_t began_ns_ = 0;
};

} // namespace chomp
