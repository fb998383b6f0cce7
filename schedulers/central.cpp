// One queue for the whole team (the papers' CQ, README.md): members put their oldest tasks at its end and take from its
// front.
#include "schedulers/scheduler.h"

#include "runtime/base/policy.h"
#include "schedulers/queues/locked_lifo.h"

namespace chomp {
namespace {

struct State : SchedulerState {
  LockedLifo tasks;
  RequestsOfTeam requests;
};

State& of(SchedulerState* state) { return *static_cast<State*>(state); }

SchedulerState* make(const TeamShape&, const SchedulerSettings&, StateMemory memory) {
  auto* state = make_array<State>(memory, 1);
  state->first_request_word = state->requests.word();
  return state;
}

bool publish(SchedulerState* state, int, TaskBatch batch) {
  of(state).tasks.push(batch);
  return true;
}

Acquired acquire(SchedulerState* state, int, const Eligible& eligible, SchedulerCounts& counts) {
  QueueHook* task = of(state).tasks.steal_one(eligible);
  if (task != nullptr) counts.acquired_local.add();
  return {.task = task};
}

bool set_request(SchedulerState* state, int, StealRequest requests) {
  of(state).requests.set(requests);
  return false;
}

unsigned wanted(SchedulerState* state, int) {
  unsigned requesting = of(state).requests.members(), waiting = of(state).tasks.size();
  return waiting < requesting ? policy::kPerRequest * requesting - waiting : 0;
}

bool has_tasks(SchedulerState* state) { return of(state).tasks.size() > 0; }

} // namespace

extern const Scheduler central_scheduler; // list.def
constinit const Scheduler central_scheduler = {
    .make = make,
    .publish = publish,
    .acquire = acquire,
    .set_request = set_request,
    .wanted = wanted,
    .has_tasks = has_tasks,
};

} // namespace chomp
