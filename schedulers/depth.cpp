// Depth-restricted work stealing (Sukha, SPAA 2009; Intel TBB): as `steal`, but while a task waits for others its
// worker takes only tasks that are deeper in the tree than that task. What it helps with is then more likely to be what
// it waits for, and its stack holds no more levels than the tree. In a barrier the implicit task waits, and every task
// is deeper than that.
//
// Nobody waits for ever: what a task waits for (children, members of its group, children's siblings) is deeper than it.
#include "schedulers/member_deques.h"

namespace chomp {
namespace {

bool deeper_and_eligible(void* context, QueueHook* task) {
  const Eligible& eligible = *static_cast<const Eligible*>(context);
  auto below = static_cast<int32_t>(eligible.depth_of(task) - eligible.waiter_depth); // depths wrap
  return below > 0 && eligible.may_run(eligible.context, task);
}

Acquired acquire(void* state, int member, const Eligible& eligible, SchedulerCounts& counts) {
  Eligible deeper = eligible;
  deeper.may_run = deeper_and_eligible;
  deeper.context = const_cast<Eligible*>(&eligible); // deeper_and_eligible() makes it const again
  return member_deques::acquire(state, member, deeper, counts);
}

} // namespace

extern const Scheduler depth_scheduler; // list.def
constinit const Scheduler depth_scheduler = {
    .state_size = member_deques::state_size,
    .init = member_deques::init,
    .publish = member_deques::publish,
    .acquire = acquire,
    .hunger_word = member_deques::hunger_word,
    .set_hungry = member_deques::set_hungry,
    .wanted = member_deques::wanted,
    .has_tasks = member_deques::has_tasks,
};

} // namespace chomp
