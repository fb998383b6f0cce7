// Qthreads' Sherwood scheduler (Wheeler, Stark, Murphy, SAND2012-10594): as `mts`, but a thief takes half of
// the victim's queue, however few are idle.
#include "schedulers/domain_lifos.h"

namespace chomp {

static SchedulerState* make(const TeamShape& shape, const SchedulerSettings&, StateMemory memory) {
  return domain_lifos::make(shape, StealAmount::kHalfQueue, memory);
}

extern const Scheduler sherwood_scheduler; // list.def
constinit const Scheduler sherwood_scheduler = domain_lifos::scheduler(make);

} // namespace chomp
