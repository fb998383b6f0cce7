// See worker.h.
#include "runtime/core/worker.h"

#include <new>

#include "runtime/base/cacheline.h"
#include "runtime/core/memory.h"

namespace chomp {

__attribute__((tls_model("initial-exec"))) constinit thread_local Worker* tls_worker = nullptr;

CHOMP_LARGE static constinit atomic<Worker*> by_gtid[kMostWorkers] = {};

Worker* worker_make(int gtid) {
  auto* worker = new (memory_permanent(sizeof(Worker))) Worker;
  worker->gtid = gtid;
  worker->id = static_cast<uint16_t>(gtid + 1);
  by_gtid[gtid].store(worker, std::memory_order_release); // release: pairs with acquire in worker_by_gtid().
  return worker;
}

Worker* worker_by_gtid(int gtid) {
  if (gtid < 0 || gtid >= kMostWorkers) return nullptr;
  return by_gtid[gtid].load(std::memory_order_acquire); // acquire: pairs with release in worker_make()
}

} // namespace chomp
