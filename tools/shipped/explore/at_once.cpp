// The scheduler under which all orders are tried: a task may begin as soon as it is made, on any thread that is free.
// One queue, to which all tasks are dealt. Part of the runtime that `chomp explore` loads, and of no other.
#include "schedulers/scheduler.h"

#include <new>

#include "schedulers/queues/locked_lifo.h"

extern "C" void chomp_virtual_tasks_wait(int more); // orders.cpp

namespace chomp {
namespace {

struct State {
  LockedLifo tasks;
};

State& of(void* state) { return *static_cast<State*>(state); }
size_t state_size(const TeamShape&) { return sizeof(State); }
void init(void* memory, const TeamShape&, const SchedulerSettings&) { new (memory) State; }

void publish(void* state, int, TaskBatch batch) {
  chomp_virtual_tasks_wait(static_cast<int>(batch.count));
  of(state).tasks.push(batch);
}

Acquired acquire(void* state, int, const Eligible& eligible, SchedulerCounts& counts) {
  QueueHook* task = of(state).tasks.steal_one(eligible);
  if (task == nullptr) return {};
  chomp_virtual_tasks_wait(-1);
  counts.acquired_local.add();
  return {.task = task};
}

int deal(void* state, int member, int team_size, QueueHook* task, SchedulerCounts&) {
  publish(state, member, {task, task, 1});
  return (member + 1) % team_size;
}

const atomic<uint32_t>* hunger_word(void*, int) {
  static constinit const atomic<uint32_t> none_hungry{0};
  return &none_hungry;
}
void set_hungry(void*, int, bool) {}
unsigned wanted(void*, int) { return 0; }
bool has_tasks(void* state) { return of(state).tasks.size() > 0; }

} // namespace

extern const Scheduler at_once_scheduler; // schedulers.def
constinit const Scheduler at_once_scheduler = {
    .private_depth = 0,
    .state_size = state_size,
    .init = init,
    .publish = publish,
    .acquire = acquire,
    .hunger_word = hunger_word,
    .set_hungry = set_hungry,
    .wanted = wanted,
    .has_tasks = has_tasks,
    .deal = deal,
};

} // namespace chomp
