// copyprivate. See single.h.
#include "runtime/loops/single.h"

#include "runtime/tasks/cancel.h"

namespace chomp {

void copyprivate_broadcast(Worker* worker, void* data, void (*copy)(void*, void*), bool executed) {
  TeamWorksharing& shared = worker->member->team->worksharing;
  if (executed) shared.copyprivate = data;
  barrier_before_copies(worker);
  if (!executed) copy(data, shared.copyprivate);
  counted_barrier(worker);
}

void* copyprivate_exchange(Worker* worker, void* data) {
  TeamWorksharing& shared = worker->member->team->worksharing;
  if (data != nullptr) shared.copyprivate = data;
  barrier_before_copies(worker);
  return shared.copyprivate;
}

} // namespace chomp
