// Work stealing as in Cilk (the slides' WS): every member has its own queue; a thief takes the one oldest task of a
// victim, going round from a different place each time. Hunger is one word for the team.
#include "schedulers/scheduler.h"

#include "schedulers/queues/locked_lifo.h"

namespace chomp {
namespace {

struct Seat {
  LockedLifo tasks;
  uint32_t next_victim = 0; // owner only
};

struct alignas(kCacheLine) State {
  std::atomic<uint32_t> hunger{0};
  int size = 1;
  Seat* seats() { return reinterpret_cast<Seat*>(this + 1); }
};

size_t state_size(const TeamShape& shape) { return sizeof(State) + static_cast<size_t>(shape.size) * sizeof(Seat); }

void init(void* memory, const TeamShape& shape) {
  auto* state = new (memory) State;
  state->size = shape.size;
  for (int member = 0; member < shape.size; ++member) (new (&state->seats()[member]) Seat)->next_victim = member + 1;
}

void publish(void* state, int member, TaskBatch batch) {
  static_cast<State*>(state)->seats()[member].tasks.push(batch);
}

QueueHook* acquire(void* memory, int member, Eligible eligible) {
  auto* state = static_cast<State*>(memory);
  Seat& own = state->seats()[member];
  if (QueueHook* task = own.tasks.pop(eligible)) return task;
  for (int step = 0; step < state->size; ++step) {
    int victim = static_cast<int>((own.next_victim + static_cast<uint32_t>(step)) % static_cast<uint32_t>(state->size));
    if (victim == member) continue;
    if (QueueHook* task = state->seats()[victim].tasks.steal_one(eligible)) {
      own.next_victim = static_cast<uint32_t>(victim); // it may have more
      return task;
    }
  }
  ++own.next_victim;
  return nullptr;
}

const std::atomic<uint32_t>* hunger_word(void* state, int) { return &static_cast<State*>(state)->hunger; }

void set_hungry(void* state, int, bool hungry) {
  // relaxed: a hint; a worker that parks executes the heavy side of the fence.
  static_cast<State*>(state)->hunger.fetch_add(hungry ? 1 : ~uint32_t{0}, std::memory_order_relaxed);
}

// Each member offers a little; thieves find it.
unsigned wanted(void* state, int member) {
  return static_cast<State*>(state)->seats()[member].tasks.size() == 0 ? 2 : 0;
}

bool has_tasks(void* memory) {
  auto* state = static_cast<State*>(memory);
  for (int member = 0; member < state->size; ++member)
    if (state->seats()[member].tasks.size() > 0) return true;
  return false;
}

} // namespace

extern const Scheduler steal_scheduler; // for registry.cpp
constinit const Scheduler steal_scheduler = {
    "steal", "ws", state_size, init, publish, acquire, hunger_word, set_hungry, wanted, has_tasks,
};

} // namespace chomp
