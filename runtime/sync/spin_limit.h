// The spin limit: how long a thread that waits looks for its event before it sleeps (KMP_BLOCKTIME, and what goes with
// it). SpinLimit is for waits that run no tasks (numbered_eventcount.h); the work loop (idle.cpp) has the same limits.
#pragma once

#include <cstdint>

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

class SpinLimit {
public:
  /// `may_spin` is the team's.
  explicit SpinLimit(bool may_spin) : may_spin_(may_spin) {}

  /// Pauses between two looks. False when it is time to sleep instead.
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
  // Other processes may share the CPUs, or the threads of the team one CPU, so the thread yields after a while. The
  // work loop yields later, since what it waits for takes longer as a rule.
  static constexpr uint32_t kPausesBeforeYield = 200;

  bool may_spin_;
  uint32_t rounds_ = 0;
  int64_t began_ns_ = 0;
};

} // namespace chomp
