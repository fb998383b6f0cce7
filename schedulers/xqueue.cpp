// XQueue (Nookala, Dinda, Hale, Raicu: XTask): a bounded ring for each pair of members, static round robin, the next
// member if a ring is full, and if all are, the task runs at once. No locked instruction on any path, unless the
// scheduling constraint makes an owner hand tasks on.
#include "schedulers/ring_matrix.h"

namespace chomp {

extern const Scheduler xqueue_scheduler; // list.def
constinit const Scheduler xqueue_scheduler = dealing_scheduler<RingMatrix>();

} // namespace chomp
