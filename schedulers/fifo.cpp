// A FIFO for each core, with round-robin dealing and no stealing (the papers' Q, README.md).
#include "schedulers/dealt_tasks.h"

namespace chomp {

extern const Scheduler fifo_scheduler; // list.def
constinit const Scheduler fifo_scheduler = dealing_scheduler<QueuePerOwner<BoundedList<&LockedLifo::steal_one>>>();

} // namespace chomp
