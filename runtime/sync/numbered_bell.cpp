// Sleeping and waking at a NumberedBell. See numbered_bell.h.
#include "runtime/sync/numbered_bell.h"

#include <limits.h>

#include "runtime/base/preemption.h"
#include "runtime/core/worker.h"

namespace chomp {

uint32_t NumberedBell::announce(uint64_t number) {
  // relaxed, both: ordered by the fence.
  uint32_t bell = bell_.load(std::memory_order_relaxed);
  asleep_.fetch_or(bit_of(number), std::memory_order_relaxed);
  heavy_fence(); // pairs with light_fence() in ring()
  return bell;
}

void NumberedBell::sleep(uint64_t number, uint32_t bell) {
  preemption_point();
  if (Worker* worker = tls_worker) worker->counters.parks.add();
  futex_wait_bits(&bell_, bell, bit_of(number));
}

void NumberedBell::ring_slow(uint64_t number) {
  uint32_t bit = bit_of(number);
  // relaxed, both: the wake comes after them, and compares the bell.
  asleep_.fetch_and(~bit, std::memory_order_relaxed);
  preemption_point();
  bell_.fetch_add(1, std::memory_order_relaxed);
  preemption_point();
  futex_wake_bits(&bell_, INT_MAX, bit);
  if (Worker* worker = tls_worker) worker->counters.wakes.add();
}

} // namespace chomp
