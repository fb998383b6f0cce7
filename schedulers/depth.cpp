// Depth-restricted work stealing (Sukha, SPAA 2009; Intel TBB): as `steal`, but while a task waits for others its
// worker takes only tasks that are deeper in the tree than that task. A task that the worker takes is then more likely
// to be one that it waits for, and its stack holds no more levels than the tree. In a barrier the implicit task waits,
// and every explicit task is deeper.
//
// No task waits for ever: all that a task waits for (children, members of its group, children's siblings) is deeper
// than that task.
#include "schedulers/member_deques.h"

namespace chomp {
namespace {

bool deeper_and_eligible(void* context, QueueHook* task) {
  const Eligible& eligible = *static_cast<const Eligible*>(context);
  auto below = static_cast<int32_t>(eligible.depth_of(task) - eligible.waiter_depth); // depths wrap
  return below > 0 && eligible.may_run(eligible.context, task);
}

Acquired acquire(SchedulerState* state, int member, const Eligible& eligible, SchedulerCounts& counts) {
  Eligible deeper = eligible;
  deeper.may_run = deeper_and_eligible;
  deeper.context = const_cast<Eligible*>(&eligible); // deeper_and_eligible() makes it const again
  return MemberDeques<VictimsInTurn>::acquire(state, member, deeper, counts);
}

constexpr Scheduler depth_restricted() {
  Scheduler scheduler = member_deques_scheduler<VictimsInTurn>();
  scheduler.acquire = acquire;
  return scheduler;
}

} // namespace

extern const Scheduler depth_scheduler; // list.def
constinit const Scheduler depth_scheduler = depth_restricted();

} // namespace chomp
