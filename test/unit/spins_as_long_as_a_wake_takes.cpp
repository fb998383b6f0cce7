// RUN: %clangxx -std=c++20 -I%root %s %root/runtime/sync/waiting.cpp %root/runtime/base/cpu_numbers.cpp %root/runtime/base/os_linux.cpp %root/runtime/base/log.cpp -pthread -o %t && %t
// Where yields have been long, a thread that waits does not yield. But it goes on looking for as long as a wake would
// take before it sleeps: else its partner waits longer than that for it, sleeps too, and so on for ever.
#include "runtime/sync/waiting.h"

#include "test/unit/check_that.h"

constinit chomp::Config chomp::config; // the settings' defaults

using namespace chomp;

static int64_t waits_ns(CpuOffers offers) {
  Waiting waiting(&offers);
  int64_t began = monotonic_ns();
  while (waiting.pause(CpuDemand::kUnknown)) continue;
  return monotonic_ns() - began;
}

int main() {
  cycle_counter_start();
  costly_yields.until.store(UINT64_MAX, std::memory_order_relaxed); // relaxed: one thread
  config.blocktime_us = policy::kDefaultSpinNs / 1000;
  config.use_yield = 1;
  for (bool was_taken : {false, true}) THAT(waits_ns({.was_taken = was_taken}) >= 40'000);
  config.blocktime_us = 0;
  THAT(waits_ns({}) < 40'000 || waits_ns({}) < 40'000 || waits_ns({}) < 40'000); // a thread may lose its CPU
  return result();
}
