// The spin limit: how long a thread that waits looks for its event before it sleeps (KMP_BLOCKTIME, and what goes with
// it). SpinLimit is for waits that run no tasks (numbered_eventcount.h); the work loop (idle.cpp) has the same limits.
#pragma once

#include <cstdint>

#include "runtime/base/atomic.h"
#include "runtime/base/cacheline.h"
#include "runtime/base/os_linux.h"
#include "runtime/config/config.h"
#include "runtime/base/policy.h"
#include "runtime/machine/topology.h"

namespace chomp {

inline constexpr uint32_t kRoundsBeforeClock = 32; // rounds between two looks at the clock
inline constexpr uint32_t kYieldsCrowded = 16;     // more threads than CPUs: rounds, each with a yield, before parking

inline int64_t spin_limit_ns() {
  return config.blocktime_us > INT64_MAX / 1000 ? INT64_MAX : config.blocktime_us * 1000;
}

/// What a yield has taken the thread lately, in cycles, as a mean times kYieldsInMean.
inline constinit thread_local uint64_t yield_cycles __attribute__((tls_model("initial-exec"))) = 0;

/// Yields the CPU. False if that has taken longer than a wake would, as a mean: others want the CPU, or the system owes
/// this thread little. A thread that waits should sleep then. `threads` are those of its own team, and of the teams
/// around that: a yield lets each of them have a turn, and may take a wake for each.
inline bool yield_is_brief(int32_t threads = 1) {
  constexpr uint64_t kYieldsInMean = 256;
  uint64_t turns = threads > topology.running_cpus ? static_cast<uint64_t>(threads / topology.running_cpus) : 1;
  uint64_t began = cycle_counter();
  cpu_yield();
  yield_cycles += cycle_counter() - began - yield_cycles / kYieldsInMean;
  if (yield_cycles <= kYieldsInMean * turns * policy::kWakeCycles) return true;
  yield_cycles = 0;
  return false;
}

/// Yields have kept the CPU from a thread for long: until when, by the cycle counter, none yields that may sleep, and
/// for how long that is. Once may be chance, and is soon forgotten; each time that it happens again just after that it
/// is remembered twice as long.
struct alignas(kCacheLine) CostlyYields {
  static constexpr uint64_t kFirst = uint64_t{1} << 27, kLongest = uint64_t{1} << 33; // some 50 ms, some 3 s
  atomic<uint64_t> until{0}, length{kFirst};
};
inline constinit CostlyYields costly_yields;

inline bool yields_are_costly() {
  uint64_t until = costly_yields.until.load(std::memory_order_relaxed); // relaxed: a hint
  return until != 0 && until > cycle_counter();
}

inline void remember_costly_yield() {
  // relaxed, all: hints.
  uint64_t now = cycle_counter(), until = costly_yields.until.load(std::memory_order_relaxed);
  uint64_t length = costly_yields.length.load(std::memory_order_relaxed);
  if (until > now) return; // another thread has found out too
  bool again = until != 0 && now - until < length;
  length = !again ? CostlyYields::kFirst : length < CostlyYields::kLongest ? 2 * length : length;
  costly_yields.length.store(length, std::memory_order_relaxed);
  costly_yields.until.store(now + length, std::memory_order_relaxed);
}

/// Offers the CPU to the other threads of the caller's team and of those around it, `threads` in all, to those of other
/// teams and to other processes. False if these have kept it for long lately: the caller should sleep instead, since a
/// thread that is woken gets a CPU sooner than one that has yielded.
inline bool offer_cpu(int32_t threads = 1) {
  if (yields_are_costly()) return false;
  if (!yield_is_brief(threads)) remember_costly_yield();
  return true;
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
