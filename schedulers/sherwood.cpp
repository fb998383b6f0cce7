// Qthreads' Sherwood scheduler (Wheeler, Stark, Murphy, SAND2012-10594): as `hierarchical`, but a thief takes half of
// the victim's queue, however few are idle.
#include "schedulers/domain_lifos.h"

namespace chomp {

static void init(void* memory, const TeamShape& shape, const SchedulerSettings&) {
  domain_lifos::init(memory, shape, StealAmount::kHalfQueue);
}

extern const Scheduler sherwood_scheduler; // list.def
constinit const Scheduler sherwood_scheduler = {
    .state_size = domain_lifos::state_size,
    .init = init,
    .publish = domain_lifos::publish,
    .acquire = domain_lifos::acquire,
    .hunger_word = domain_lifos::hunger_word,
    .set_hungry = domain_lifos::set_hungry,
    .hunger_propagated = domain_lifos::hunger_propagated,
    .wanted = domain_lifos::wanted,
    .has_tasks = domain_lifos::has_tasks,
};

} // namespace chomp
