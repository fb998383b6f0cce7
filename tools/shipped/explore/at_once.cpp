// The scheduler under which all orders are tried: a task may begin as soon as it is made, on any thread that is free.
// One queue, to which all tasks are dealt. Part of the runtime that `chomp explore` loads, and of no other.
#include "schedulers/scheduler.h"

#include "schedulers/queues/locked_lifo.h"

extern "C" void chomp_virtual_tasks_wait(int more); // orders.cpp

namespace chomp {
namespace {

struct State : SchedulerState {
  LockedLifo tasks;
};

State& of(SchedulerState* state) { return *static_cast<State*>(state); }
SchedulerState* make(const TeamShape&, const SchedulerSettings&, StateMemory memory) {
  return make_array<State>(memory, 1);
}

bool publish(SchedulerState* state, int, TaskBatch batch) {
  chomp_virtual_tasks_wait(static_cast<int>(batch.count));
  of(state).tasks.push(batch);
  return true;
}

Acquired acquire(SchedulerState* state, int, const Eligible& eligible, SchedulerCounts& counts) {
  QueueHook* task = of(state).tasks.steal_one(eligible);
  if (task == nullptr) return {};
  chomp_virtual_tasks_wait(-1);
  counts.acquired_local.add();
  return {.task = task};
}

int deal(SchedulerState* state, int member, int team_size, QueueHook* task, SchedulerCounts&) {
  publish(state, member, {task, task, 1});
  return (member + 1) % team_size;
}

bool set_request(SchedulerState*, int, StealRequest) { return false; }
unsigned wanted(SchedulerState*, int) { return 0; }
bool has_tasks(SchedulerState* state) { return of(state).tasks.size() > 0; }

} // namespace

extern const Scheduler at_once_scheduler; // schedulers.def
constinit const Scheduler at_once_scheduler = {
    .private_depth = 0,
    .make = make,
    .publish = publish,
    .acquire = acquire,
    .set_request = set_request,
    .wanted = wanted,
    .has_tasks = has_tasks,
    .deal = deal,
};

} // namespace chomp
