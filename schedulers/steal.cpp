// Work stealing as in Cilk (the papers' WS): every member has its own deque; a thief takes the one oldest task of a
// victim.
#include "schedulers/member_deques.h"

namespace chomp {

extern const Scheduler steal_scheduler; // list.def
constinit const Scheduler steal_scheduler = member_deques_scheduler<VictimsInTurn>();

} // namespace chomp
