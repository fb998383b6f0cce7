// Waking a worker that is parked. See wake.h.
#include "runtime/core/wake.h"

#include "runtime/base/os_linux.h"
#include "runtime/core/worker.h"

namespace chomp {

void worker_wake(Worker* worker) {
  light_fence(); // pairs with heavy_fence() in Idler::park(): either we see it parked or it sees what we stored
  // relaxed: ordered by the fence; the exchange decides between wakers.
  if (worker->parked.load(std::memory_order_relaxed) == 0) return;
  worker->wakers_cpu.store(current_cpu(), std::memory_order_relaxed); // relaxed: a hint
  // acq_rel: release pairs with the acquire of the woken worker's own look at the word.
  if (worker->parked.exchange(0, std::memory_order_acq_rel) == 0) return;
  futex_wake(&worker->parked, 1);
  if (tls_worker != nullptr) tls_worker->counters.wakes.add();
}

} // namespace chomp
