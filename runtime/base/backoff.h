// How a thread waits for a store that another thread, known to be running, is about to make. It pauses a few times,
// then yields its CPU at every look. Used where a wait is short by construction, such as for a member that lags inside
// a loop. Waits that may be long belong to the work loop, which runs tasks and sleeps.
#pragma once

#include <cstdint>

#include "runtime/base/atomic.h"
#include "runtime/base/cpu_numbers.h"
#include "runtime/base/os_linux.h"
#include "runtime/base/policy.h"

namespace chomp {

// ---- Light threads --------------------------------------------------------------------------------------------------

/// What whatever waits has to know of light threads (wait/light_thread.h), which share a kernel thread: one that pauses
/// or sleeps lets the next one run. Called instead of cpu_pause() and futex_wait() wherever a thread may wait for
/// another one of the same region.
struct LightWaits {
  bool (*pause)();
  bool (*sleep)(atomic<uint32_t>* word, uint32_t expected, int64_t timeout_ns);
};
/// wait/light_thread.cpp's; null until there are light threads. relaxed, always: a thread that shares its kernel thread
/// has stored it.
extern constinit atomic<const LightWaits*> light_waits;

/// Lets another thread of this kernel thread run, and returns when it is the caller's turn again. False, at once, if
/// there is none that can run.
inline bool light_pause() {
  const LightWaits* waits = light_waits.load(std::memory_order_relaxed); // relaxed: see there
  return __builtin_expect(waits != nullptr, 0) && waits->pause();
}

/// Whether there may be one.
inline bool threads_share_kernel_thread() {
  return light_waits.load(std::memory_order_relaxed) != nullptr; // relaxed: see there
}

/// A pause between two looks at what another thread will store.
inline void pause_or_switch() {
  if (!light_pause()) cpu_pause();
}

/// futex_wait(), while which other threads of this kernel thread run.
inline bool sleep_on(atomic<uint32_t>* word, uint32_t expected, int64_t timeout_ns = kNoTimeout) {
  cpu_number_rest();
  const LightWaits* waits = light_waits.load(std::memory_order_relaxed); // relaxed: see there
  return __builtin_expect(waits != nullptr, 0) ? waits->sleep(word, expected, timeout_ns)
                                               : futex_wait(word, expected, timeout_ns);
}

// ---- Waiting for a store --------------------------------------------------------------------------------------------

class Backoff {
public:
  void pause() {
    if (light_pause() && looks_ < policy::kPausesBeforeYield)
      ++looks_;
    else
      pause_in_place();
  }

  /// Where no other thread of this kernel thread may run meanwhile.
  void pause_in_place() {
    if (looks_ < policy::kPausesBeforeYield) {
      ++looks_;
      cpu_pause();
    } else {
      cpu_yield();
    }
  }

private:
  int looks_ = 0;
};

} // namespace chomp
