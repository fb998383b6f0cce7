// Work stealing as in Cilk (the slides' WS): every member has its own deque; a thief takes the one oldest task of a
// victim.
#include "schedulers/member_deques.h"

namespace chomp {

extern const Scheduler steal_scheduler; // list.def
constinit const Scheduler steal_scheduler = {
    .state_size = member_deques::state_size,
    .init = member_deques::init,
    .publish = member_deques::publish,
    .acquire = member_deques::acquire,
    .hunger_word = member_deques::hunger_word,
    .set_hungry = member_deques::set_hungry,
    .wanted = member_deques::wanted,
    .has_tasks = member_deques::has_tasks,
};

} // namespace chomp
