// The schedulers that registry.cpp knows. Included by schedulers/ only.
#pragma once

#include "schedulers/scheduler.h"

namespace chomp {

extern const Scheduler hierarchical_scheduler;
extern const Scheduler steal_scheduler;
extern const Scheduler central_scheduler;

} // namespace chomp
