// See domain_lifos.h.
#include "schedulers/domain_lifos.h"

#include "schedulers/domains.h"
#include "runtime/base/policy.h"
#include "schedulers/queues/locked_lifo.h"

namespace chomp::domain_lifos {
namespace {

struct State : SchedulerState {
  Domains domains;
  StealAmount amount;
  LockedLifo* lifos; // by domain

  LockedLifo& of_member(int member) { return lifos[domains.of(member)]; }
};

State& of(SchedulerState* state) { return *static_cast<State*>(state); }

// Called by the thief of the member's domain, which runs the newest task that it brings, if it may.
Acquired steal_for_domain(State& state, int member, const Eligible& eligible, SchedulerCounts& counts) {
  int domain = state.domains.of(member);
  unsigned most = most_to_steal(state.amount, state.domains.requesting_members(domain));
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
    acquired.from_elsewhere = batch.count;
    return acquired.task != nullptr;
  });
  return acquired;
}

} // namespace

SchedulerState* make(const TeamShape& shape, StealAmount amount, StateMemory memory) {
  auto* state = make_array<State>(memory, 1);
  state->domains.init(state, shape, memory);
  state->amount = amount;
  state->lifos = make_array<LockedLifo>(memory, shape.domain_count);
  return state;
}

bool publish(SchedulerState* state, int member, TaskBatch batch) {
  of(state).of_member(member).push(batch);
  return true;
}

Acquired acquire(SchedulerState* memory, int member, const Eligible& eligible, SchedulerCounts& counts) {
  State& state = of(memory);
  if (QueueHook* task = state.of_member(member).pop(eligible)) {
    counts.acquired_local.add();
    return {.task = task};
  }
  // A thief also takes tasks that it may not run itself, for others of its domain.
  constexpr bool kRefuses = false;
  return state.domains.as_thief(member, eligible.other_domains, kRefuses,
                                [&] { return steal_for_domain(state, member, eligible, counts); });
}

bool set_request(SchedulerState* state, int member, StealRequest requests) {
  if (requests != StealRequest::kPresent)
    of(state).domains.set_requesting(member, requests == StealRequest::kRequesting);
  return false;
}

unsigned wanted(SchedulerState* state, int member) {
  const Domains& domains = of(state).domains;
  int domain = domains.of(member);
  unsigned requesting = domains.requesting_members(domain) + domains.others_ask(domain);
  unsigned waiting = of(state).of_member(member).size();
  return waiting < requesting ? policy::kPerRequest * requesting - waiting : 0;
}

bool has_tasks(SchedulerState* memory) {
  State& state = of(memory);
  for (int domain = 0; domain < state.domains.count(); ++domain)
    if (state.lifos[domain].size() > 0) return true;
  return false;
}

} // namespace chomp::domain_lifos
