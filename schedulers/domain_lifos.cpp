// See domain_lifos.h.
#include "schedulers/domain_lifos.h"

#include <new>

#include "schedulers/domains.h"
#include "runtime/base/policy.h"
#include "schedulers/queues/locked_lifo.h"

namespace chomp::domain_lifos {
namespace {

struct State {
  Domains domains;
  StealAmount amount;
  LockedLifo* lifos; // by domain

  LockedLifo& of_member(int member) { return lifos[domains.of(member)]; }
};

State& of(void* state) { return *static_cast<State*>(state); }

constexpr size_t kStateBytes = (sizeof(State) + kCacheLine - 1) / kCacheLine * kCacheLine;

// Called by the thief of the member's domain, which runs the newest task that it brings, if it may.
Acquired steal_for_domain(State& state, int member, const Eligible& eligible, SchedulerCounts& counts) {
  int domain = state.domains.of(member);
  unsigned most = most_to_steal(state.amount, state.domains.hungry_members(domain));
  Acquired acquired;
  state.domains.visit_victims(domain, eligible.in_passing, [&](int other) {
    LockedLifo& victim = state.lifos[other];
    if (victim.size() == 0) return false;
    TaskBatch batch = victim.steal(most, eligible);
    if (batch.count == 0) {
      counts.failed_steals.add();
      return false;
    }
    counts.stolen_operations.add();
    counts.stolen_tasks.add(batch.count);
    state.lifos[domain].push(batch);
    acquired.task = state.lifos[domain].pop(eligible);
    acquired.handed_on |= acquired.task == nullptr || batch.count > 1;
    return acquired.task != nullptr;
  });
  return acquired;
}

} // namespace

size_t state_size(const TeamShape& shape) {
  return kStateBytes + Domains::memory_size(shape) + static_cast<size_t>(shape.domain_count) * sizeof(LockedLifo);
}

void init(void* memory, const TeamShape& shape, StealAmount amount) {
  char* domains = static_cast<char*>(memory) + kStateBytes;
  auto* lifos = reinterpret_cast<LockedLifo*>(domains + Domains::memory_size(shape));
  State* state = new (memory) State{{}, amount, lifos};
  state->domains.init(domains, shape);
  for (int domain = 0; domain < shape.domain_count; ++domain) new (&lifos[domain]) LockedLifo;
}

void publish(void* state, int member, TaskBatch batch) { of(state).of_member(member).push(batch); }

Acquired acquire(void* memory, int member, const Eligible& eligible, SchedulerCounts& counts) {
  State& state = of(memory);
  if (QueueHook* task = state.of_member(member).pop(eligible)) {
    counts.acquired_local.add();
    return {.task = task};
  }
  // A thief also takes tasks that it may not run itself, for others of its domain.
  constexpr bool kRefuses = false;
  return state.domains.as_thief(member, kRefuses, [&] { return steal_for_domain(state, member, eligible, counts); });
}

const atomic<uint32_t>* hunger_word(void* state, int member) { return of(state).domains.hunger_word(member); }

void set_hungry(void* state, int member, bool hungry) { of(state).domains.set_hungry(member, hungry); }

unsigned wanted(void* state, int member) {
  const Domains& domains = of(state).domains;
  int domain = domains.of(member);
  unsigned hungry = domains.hungry_members(domain) + domains.others_ask(domain);
  unsigned waiting = of(state).of_member(member).size();
  return waiting < hungry ? policy::kPerHungry * hungry - waiting : 0;
}

bool has_tasks(void* memory) {
  State& state = of(memory);
  for (int domain = 0; domain < state.domains.count(); ++domain)
    if (state.lifos[domain].size() > 0) return true;
  return false;
}

} // namespace chomp::domain_lifos
