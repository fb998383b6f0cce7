// The hierarchical scheduler as its paper has it (MTS: Olivier, Porterfield, Wheeler, Prins). The cores of one domain
// (chip) share a LIFO. When the LIFO is empty, one of them steals for all: enough for every idle core of its own
// domain, at most half of what the victim has. CHOMP_STEAL chooses another amount.
#include "schedulers/domain_lifos.h"

namespace chomp {

static SchedulerState* make(const TeamShape& shape, const SchedulerSettings& settings, StateMemory memory) {
  return domain_lifos::make(shape, settings.steal, memory);
}

extern const Scheduler mts_scheduler; // list.def
constinit const Scheduler mts_scheduler = domain_lifos::scheduler(make);

} // namespace chomp
