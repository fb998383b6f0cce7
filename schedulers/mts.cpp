// The hierarchical scheduler as its paper has it (MTS: Olivier, Porterfield, Wheeler, Prins). The cores of one domain
// (chip) share a LIFO. When the LIFO is empty, one of them steals for all: enough for every idle core of its own
// domain, at most half of what the victim has. CHOMP_STEAL chooses another amount.
#include "schedulers/domain_lifos.h"

namespace chomp {

static void init(void* memory, const TeamShape& shape, const SchedulerSettings& settings) {
  domain_lifos::init(memory, shape, settings.steal);
}

extern const Scheduler mts_scheduler; // list.def
constinit const Scheduler mts_scheduler = domain_lifos::scheduler(init);

} // namespace chomp
