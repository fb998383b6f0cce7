// Qthreads' Sherwood scheduler (Wheeler, Stark, Murphy, SAND2012-10594): as `mts`, but a thief takes half of
// the victim's queue, however few are idle.
#include "schedulers/domain_lifos.h"

namespace chomp {

static void init(void* memory, const TeamShape& shape, const SchedulerSettings&) {
  domain_lifos::init(memory, shape, StealAmount::kHalfQueue);
}

extern const Scheduler sherwood_scheduler; // list.def
constinit const Scheduler sherwood_scheduler = domain_lifos::scheduler(init);

} // namespace chomp
