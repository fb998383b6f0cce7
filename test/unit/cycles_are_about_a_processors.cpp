// RUN: %clangxx -std=c++20 -I%root %s %root/runtime/base/os_linux.cpp %root/runtime/base/log.cpp -pthread -o %t && %t
// A count of cycles means about the same on every processor: between 0.2 and 10 a nanosecond, also where the system's
// counter ticks far more slowly (64-bit Arm: 10^7 to 10^9 a second; tools/testing/checks/cross.sh runs this under
// qemu).
#include "runtime/base/os_linux.h"
#include "test/unit/check_that.h"

using namespace chomp;

int main() {
  cycle_counter_start();
  // Each reading between two of the clock, so that a thread that is preempted in between is right as well.
  int64_t before_first = monotonic_ns();
  uint64_t first = cycle_counter();
  int64_t after_first = monotonic_ns();
  while (monotonic_ns() - after_first < 5'000'000) continue;
  int64_t before_last = monotonic_ns();
  auto cycles = static_cast<int64_t>(cycle_counter() - first);
  int64_t after_last = monotonic_ns();
  THAT(cycles > (before_last - after_first) / 5 && cycles < (after_last - before_first) * 10);
  return result();
}
