// A LIFO for each core, with round-robin dealing and no stealing (the slides' L).
#include "schedulers/dealt_tasks.h"

namespace chomp {

extern const Scheduler lifo_scheduler; // for registry.cpp
constinit const Scheduler lifo_scheduler = placing_scheduler<QueuePerOwner<BoundedList<&LockedLifo::pop>>>("lifo", "l");

} // namespace chomp
