// How long a thread looks for what another one is about to bring about before it sleeps: KMP_BLOCKTIME and what goes
// with it. For waits in which no task is run (numbered_eventcount.h); the work loop (idle.cpp) has the same limits.
#pragma once

#include <cstdint>

#include "runtime/base/os_linux.h"
#include "runtime/config/config.h"
#include "runtime/config/policy.h"

namespace chomp {

inline constexpr uint32_t kRoundsBeforeClock = 32; // looks around between two looks at the clock
inline constexpr uint32_t kYieldsCrowded = 8;      // more threads than CPUs: looks around, yielding, before parking

inline int64_t spin_limit_ns() {
  if (!config.blocktime_chosen) return policy::kDefaultSpinNs;
  return config.blocktime_us > INT64_MAX / 1000 ? INT64_MAX : config.blocktime_us * 1000;
}

class SpinLimit {
public:
  /// `may_spin`: of the team.
  explicit SpinLimit(bool may_spin) : may_spin_(may_spin) {}

  /// A pause between two looks. False, without one: it is time to sleep.
  bool pause() {
    ++rounds_;
    cpu_pause();
    if (!may_spin_) {
      if (rounds_ > kYieldsCrowded) return false;
      if (config.use_yield != 0) cpu_yield();
      return true;
    }
    if (rounds_ > kPausesBeforeYield && config.use_yield == 1) cpu_yield();
    if (rounds_ % kRoundsBeforeClock != 0) return true;
    int64_t now = monotonic_ns();
    if (began_ns_ == 0) began_ns_ = now;
    return now - began_ns_ < spin_limit_ns();
  }

private:
  // The CPUs may be shared with other processes, or those of the team be on one. What the work loop waits for takes
  // longer as a rule: it offers the CPU later.
  static constexpr uint32_t kPausesBeforeYield = 200;

  bool may_spin_;
  uint32_t rounds_ = 0;
  int64_t began_ns_ = 0;
};

} // namespace chomp
