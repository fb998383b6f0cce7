// RUN: %clangxx -std=c++20 -I%root %s %root/runtime/sync/waiting.cpp %root/runtime/base/cpu_numbers.cpp %root/runtime/base/os_linux.cpp %root/runtime/base/log.cpp -pthread -o %t && %t
// A thread that waits looks for as long as a wake would take before it yields. Where yields have been long, or a move
// to another CPU, it does not yield and soon sleeps: the one that it waits for may need its CPU. Beside another program
// a thread of a team with more threads than CPUs loses its CPU for a time slice now and then. It goes on yielding while
// its other yields let the team's threads run, which soon give the CPU back.
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

static bool sleeps_soon(CpuOffers offers) { // a thread may lose its CPU
  return waits_ns(offers) < 40'000 || waits_ns(offers) < 40'000 || waits_ns(offers) < 40'000;
}

static uint64_t kept_cycles = 0;

extern "C" int sched_yield() { // somebody keeps the CPU for so long
  for (uint64_t began = cycle_counter(); cycle_counter() - began < kept_cycles;) continue;
  return 0;
}

// Whether yields are costly after so many brief ones between two that take a time slice.
static bool costly_after(int brief_yields) {
  costly_yields.until.store(0, std::memory_order_relaxed); // relaxed: one thread
  CpuOffers offers{.long_ended = cycle_counter()};
  for (int i = 0; i <= brief_yields; ++i) {
    kept_cycles = i < brief_yields ? 2 * policy::kIdleYieldCycles : 25 * policy::kSharersYieldCycles;
    Waiting(&offers).pause(CpuDemand::kCertain);
  }
  return yields_are_costly();
}

static bool costly_after_move(uint64_t cycles) {
  costly_yields.until.store(0, std::memory_order_relaxed); // relaxed: one thread
  CpuOffers offers{.long_ended = cycle_counter()};
  note_move(&offers, cycle_counter() - cycles);
  return yields_are_costly();
}

int main() {
  constexpr int kTries = 20; // a thread may lose its CPU
  cycle_counter_start();
  int served = 0, costly = 0;
  for (int i = 0; i < kTries; ++i) {
    if (!costly_after(2000)) ++served;
    if (costly_after(0)) ++costly;
  }
  THAT(served > kTries / 2);
  THAT(costly > kTries / 2);
  THAT(costly_after_move(policy::kSharersYieldCycles));
  THAT(!costly_after_move(0) || !costly_after_move(0) || !costly_after_move(0)); // a thread may lose its CPU
  kept_cycles = 0;
  config.blocktime_us = policy::kDefaultSpinNs / 1000;
  config.use_yield = 1;
  costly_yields.until.store(0, std::memory_order_relaxed); // relaxed: one thread
  THAT(waits_ns({}) >= 40'000);
  costly_yields.until.store(UINT64_MAX, std::memory_order_relaxed); // relaxed: one thread
  for (bool was_taken : {false, true}) THAT(sleeps_soon({.was_taken = was_taken}));
  costly_yields.until.store(0, std::memory_order_relaxed); // relaxed: one thread
  config.blocktime_us = 0;
  THAT(sleeps_soon({}));
  return result();
}
