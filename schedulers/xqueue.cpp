// XQueue (Nookala, Dinda, Hale, Raicu: XTask): a bounded ring for each pair of members. Members deal round robin. If a
// ring is full, the next member gets the task; if all are, the task runs at once. No path has a locked instruction,
// unless the scheduling constraint makes an owner hand tasks on.
#include "schedulers/ring_matrix.h"

namespace chomp {

extern const Scheduler xqueue_scheduler; // list.def
constinit const Scheduler xqueue_scheduler = dealing_scheduler<RingMatrix>();

} // namespace chomp
