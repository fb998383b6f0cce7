// See member_deques.h.
#include "schedulers/member_deques.h"

#include <new>

#include "schedulers/policy.h"
#include "schedulers/queues/locked_lifo.h"

namespace chomp::member_deques {
namespace {

using policy::kOnOffer;

struct PerMember {
  LockedLifo tasks;
  uint32_t next_victim = 0; // owner only
};

struct alignas(kCacheLine) State {
  std::atomic<uint32_t> hunger{0};
  int size = 1;
  PerMember* per_member() { return reinterpret_cast<PerMember*>(this + 1); }
};

State& of(void* state) { return *static_cast<State*>(state); }

} // namespace

size_t state_size(const TeamShape& shape) {
  return sizeof(State) + static_cast<size_t>(shape.size) * sizeof(PerMember);
}

void init(void* memory, const TeamShape& shape, const SchedulerSettings&) {
  auto* state = new (memory) State;
  state->size = shape.size;
  for (int member = 0; member < shape.size; ++member)
    (new (&state->per_member()[member]) PerMember)->next_victim = member + 1;
}

void publish(void* state, int member, TaskBatch batch) { of(state).per_member()[member].tasks.push(batch); }

Acquired acquire(void* memory, int member, const Eligible& eligible, SchedulerCounts& counts) {
  State& state = of(memory);
  PerMember& own = state.per_member()[member];
  if (QueueHook* task = own.tasks.pop(eligible)) {
    counts.acquired_local.add();
    return {.task = task};
  }
  for (int step = 0; step < state.size; ++step) {
    int victim = static_cast<int>((own.next_victim + static_cast<uint32_t>(step)) % static_cast<uint32_t>(state.size));
    LockedLifo& tasks = state.per_member()[victim].tasks;
    if (victim == member || tasks.size() == 0) continue;
    if (QueueHook* task = tasks.steal_one(eligible)) {
      own.next_victim = static_cast<uint32_t>(victim); // it may have more
      counts.stolen_operations.add();
      counts.stolen_tasks.add();
      return {.task = task};
    }
    counts.failed_steals.add();
  }
  ++own.next_victim;
  return {};
}

const std::atomic<uint32_t>* hunger_word(void* state, int) { return &of(state).hunger; }

void set_hungry(void* state, int, bool hungry) {
  // relaxed: a hint; a worker that parks executes the heavy side of the fence.
  of(state).hunger.fetch_add(hungry ? 1 : ~uint32_t{0}, std::memory_order_relaxed);
}

// Each member offers a little; thieves find it.
unsigned wanted(void* state, int member) { return of(state).per_member()[member].tasks.size() == 0 ? kOnOffer : 0; }

bool has_tasks(void* memory) {
  State& state = of(memory);
  for (int member = 0; member < state.size; ++member)
    if (state.per_member()[member].tasks.size() > 0) return true;
  return false;
}

} // namespace chomp::member_deques
