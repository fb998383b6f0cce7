// A LIFO for each core, with round-robin dealing and no stealing (the papers' L, README.md).
#include "schedulers/dealt_tasks.h"

namespace chomp {

extern const Scheduler lifo_scheduler; // list.def
constinit const Scheduler lifo_scheduler = dealing_scheduler<QueuePerOwner<BoundedList<&LockedLifo::pop>>>();

} // namespace chomp
