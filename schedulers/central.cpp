// One queue for the whole team (the papers' CQ, README.md): members put their oldest tasks at its end and take from its
// front.
#include "schedulers/scheduler.h"

#include <new>

#include "runtime/base/policy.h"
#include "schedulers/queues/locked_lifo.h"

namespace chomp {
namespace {

struct State {
  LockedLifo tasks;
  alignas(kCacheLine) atomic<uint32_t> hunger{0};
};

State& of(void* state) { return *static_cast<State*>(state); }

size_t state_size(const TeamShape&) { return sizeof(State); }

void init(void* memory, const TeamShape&, const SchedulerSettings&) { new (memory) State; }

void publish(void* state, int, TaskBatch batch) { of(state).tasks.push(batch); }

Acquired acquire(void* state, int, const Eligible& eligible, SchedulerCounts& counts) {
  QueueHook* task = of(state).tasks.steal_one(eligible);
  if (task != nullptr) counts.acquired_local.add();
  return {.task = task};
}

const atomic<uint32_t>* hunger_word(void* state, int) { return &of(state).hunger; }

void set_hungry(void* state, int, bool hungry) {
  // relaxed: a hint; a worker that parks executes the heavy side of the fence.
  of(state).hunger.fetch_add(hungry ? 1 : ~uint32_t{0}, std::memory_order_relaxed);
}

unsigned wanted(void* state, int) {
  unsigned hungry = of(state).hunger.load(std::memory_order_relaxed); // relaxed: an estimate
  unsigned waiting = of(state).tasks.size();
  return waiting < hungry ? policy::kPerHungry * hungry - waiting : 0;
}

bool has_tasks(void* state) { return of(state).tasks.size() > 0; }

} // namespace

extern const Scheduler central_scheduler; // list.def
constinit const Scheduler central_scheduler = {
    .state_size = state_size,
    .init = init,
    .publish = publish,
    .acquire = acquire,
    .hunger_word = hunger_word,
    .set_hungry = set_hungry,
    .wanted = wanted,
    .has_tasks = has_tasks,
};

} // namespace chomp
