// Sleeping and waking at a NumberedEventcount. See numbered_eventcount.h.
#include "runtime/sync/numbered_eventcount.h"

#include <limits.h>

#include "runtime/base/preemption.h"
#include "runtime/core/worker.h"

namespace chomp {

uint32_t NumberedEventcount::announce(uint64_t number) {
  // acquire: pairs with release in notify_slow(). If we see its count, we set the bit after it has cleared that.
  uint32_t seen = count_.load(std::memory_order_acquire);
  asleep_.fetch_or(bit_of(number), std::memory_order_relaxed); // relaxed: ordered by the fence
  heavy_fence();                                               // pairs with light_fence() in notify()
  return seen;
}

void NumberedEventcount::sleep(uint64_t number, uint32_t seen, int64_t timeout_ns) {
  preemption_point();
  if (Worker* worker = tls_worker) worker->observe.counters.parks.add();
  if (light_waits.load(std::memory_order_relaxed) != nullptr)
    return void(sleep_on(&count_, seen, timeout_ns)); // relaxed: see there
  futex_wait_bits(&count_, seen, bit_of(number), timeout_ns);
}

void NumberedEventcount::notify_slow(uint64_t number) {
  uint32_t bit = bit_of(number);
  asleep_.fetch_and(~bit, std::memory_order_relaxed); // relaxed: the wake comes after it
  preemption_point();
  count_.fetch_add(1, std::memory_order_release); // release: pairs with acquire in announce()
  preemption_point();
  futex_wake_bits(&count_, INT_MAX, bit);
  if (Worker* worker = tls_worker) worker->observe.counters.wakes.add();
}

} // namespace chomp
