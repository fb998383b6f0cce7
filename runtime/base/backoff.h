// How a thread waits for a store that another thread, known to be running, is about to make. It pauses a few times,
// then yields its CPU at every look. Used where a wait is short by construction, such as for a member that lags inside
// a loop. Waits that may be long belong to the work loop, which runs tasks and sleeps.
#pragma once

#include "runtime/base/os_linux.h"
#include "runtime/base/policy.h"

namespace chomp {

class Backoff {
public:
  void pause() {
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
