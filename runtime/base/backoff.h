// How a thread waits for another one that is known to be running towards the awaited store: it pauses a few times, then
// gives its processor away at every look. For waits that are short by construction (a member that lags inside a loop);
// waits that may be long belong to the work loop, which runs tasks and sleeps.
#pragma once

#include "runtime/base/os_linux.h"

namespace chomp {

class Backoff {
public:
  void pause() {
    if (looks_ < kPauses) {
      ++looks_;
      cpu_pause();
    } else {
      cpu_yield();
    }
  }

private:
  static constexpr int kPauses = 200;
  int looks_ = 0;
};

} // namespace chomp
