// See domain_lifos.h.
#include "schedulers/domain_lifos.h"

#include <new>

#include "schedulers/policy.h"
#include "schedulers/queues/locked_lifo.h"
#include "schedulers/victim_order.h"

namespace chomp::domain_lifos {
namespace {

constexpr uint32_t kAsking = 1u << 31; // in Domain::hungry

using policy::kFirstPause;
using policy::kLongestPause;
using policy::kPerHungry;

struct Domain {
  LockedLifo tasks;
  // Read by owners at every task: members hungry here, thieves elsewhere.
  alignas(kCacheLine) atomic<uint32_t> hunger{0};
  // How many members of this domain are hungry, and kAsking while the others' words count the domain: one word, so that
  // the bit goes when no member is hungry any more, and not before.
  alignas(kCacheLine) atomic<uint32_t> hungry{0};
  atomic<uint32_t> thief{0}; // the token: 0 free
  // Written by the token's holder.
  atomic<uint64_t> failed_at{0}; // when it last found nothing, in cycles
  atomic<uint64_t> pause{0};     // for so long no thief tries again
  uint16_t* victims = nullptr;   // [domain_count - 1], nearest first
};

struct State {
  int domain_count;
  StealAmount amount;
  const uint16_t* domain_of_member;
  Domain* domains;
};

State& of(void* state) { return *static_cast<State*>(state); }

Domain& domain_of(void* state, int member) { return of(state).domains[of(state).domain_of_member[member]]; }

void change_others(State& state, const Domain& domain, uint32_t change) {
  for (int index = 0; index < state.domain_count; ++index)
    if (&state.domains[index] != &domain)
      state.domains[index].hunger.fetch_add(change, std::memory_order_relaxed); // relaxed: ordered by Domain::hungry
}

// By the member that brought the count to zero, or found it there: the domain asks no more.
void stop_asking(State& state, Domain& domain) {
  uint32_t none_hungry = kAsking;
  // acquire: pairs with release in ask_others(): the others' words are raised before they are lowered.
  if (domain.hungry.compare_exchange_strong(none_hungry, 0, std::memory_order_acquire, std::memory_order_relaxed))
    change_others(state, domain, ~uint32_t{0});
}

// By the holder of the token, which found nothing: propagates to other domains that a member here is hungry, until
// none is. Proof: README.md, "Hunger across domains".
void ask_others(State& state, Domain& domain) {
  uint32_t hungry = domain.hungry.load(std::memory_order_relaxed); // relaxed: the fetch_or tells
  if (hungry == 0 || (hungry & kAsking) != 0) return;
  change_others(state, domain, 1);
  // release: pairs with acquire in hunger_propagated(): a member that sees the bit is counted in the others' words.
  if (domain.hungry.fetch_or(kAsking, std::memory_order_release) == 0) stop_asking(state, domain);
}

unsigned hungry_members(const Domain& domain) {
  return domain.hungry.load(std::memory_order_relaxed) & ~kAsking; // relaxed: an estimate
}

// How many tasks a steal for so many hungry members takes at most.
unsigned most_to_steal(StealAmount amount, unsigned hungry) {
  if (hungry == 0) hungry = 1; // a look without waiting: taskyield
  switch (amount) {
  case StealAmount::kOne: return 1;
  case StealAmount::kHalfIdle: return (hungry + 1) / 2;
  case StealAmount::kIdle: return hungry;
  case StealAmount::kHalfQueue: return ~0u; // LockedLifo::steal() stops at half
  }
  __builtin_unreachable();
}

// By the holder of the token.
Acquired steal_for_domain(State& state, Domain& domain, const Eligible& eligible, SchedulerCounts& counts) {
  unsigned most = most_to_steal(state.amount, hungry_members(domain));
  Acquired acquired;
  for (int index = 0; index < state.domain_count - 1; ++index) {
    LockedLifo& victim = state.domains[domain.victims[index]].tasks;
    if (victim.size() == 0) continue;
    TaskBatch batch = victim.steal(most);
    if (batch.count == 0) {
      counts.failed_steals.add();
      continue;
    }
    counts.stolen_operations.add();
    counts.stolen_tasks.add(batch.count);
    domain.tasks.push(batch);
    acquired.task = domain.tasks.pop(eligible);
    acquired.handed_on |= acquired.task == nullptr || batch.count > 1;
    if (acquired.task != nullptr) break;
  }
  return acquired;
}

// Whether the domain's last thief found nothing, a moment ago.
bool backs_off(const Domain& domain) {
  // relaxed, both: an estimate.
  uint64_t pause = domain.pause.load(std::memory_order_relaxed);
  return pause != 0 && cycle_counter() - domain.failed_at.load(std::memory_order_relaxed) < pause;
}

// By the holder of the token.
void note_success(Domain& domain, bool success) {
  // relaxed, all: the token's holder writes, others estimate.
  uint64_t pause = domain.pause.load(std::memory_order_relaxed);
  if (success) {
    if (pause != 0) domain.pause.store(0, std::memory_order_relaxed);
    return;
  }
  domain.failed_at.store(cycle_counter(), std::memory_order_relaxed);
  if (pause < kLongestPause) domain.pause.store(pause == 0 ? kFirstPause : 2 * pause, std::memory_order_relaxed);
}

} // namespace

size_t state_size(const TeamShape& shape) {
  size_t domains = static_cast<size_t>(shape.domain_count);
  return kCacheLine + domains * sizeof(Domain) + domains * domains * sizeof(uint16_t);
}

void init(void* memory, const TeamShape& shape, StealAmount amount) {
  auto* domains = reinterpret_cast<Domain*>(static_cast<char*>(memory) + kCacheLine);
  auto* orders = reinterpret_cast<uint16_t*>(domains + shape.domain_count);
  new (memory) State{shape.domain_count, amount, shape.domain_of_member, domains};
  for (int index = 0; index < shape.domain_count; ++index) {
    Domain* domain = new (&domains[index]) Domain;
    domain->victims = orders + index * shape.domain_count;
    victim_order(shape, index, domain->victims);
  }
}

void publish(void* state, int member, TaskBatch batch) { domain_of(state, member).tasks.push(batch); }

Acquired acquire(void* memory, int member, const Eligible& eligible, SchedulerCounts& counts) {
  State& state = of(memory);
  Domain& domain = domain_of(memory, member);
  if (QueueHook* task = domain.tasks.pop(eligible)) {
    counts.acquired_local.add();
    return {.task = task};
  }
  if (state.domain_count == 1 || backs_off(domain)) return {};
  // acquire: pairs with the release below; what the last thief wrote is seen.
  if (domain.thief.load(std::memory_order_relaxed) != 0 || // relaxed: a look before the exchange
      domain.thief.exchange(1, std::memory_order_acquire) != 0)
    return {};
  Acquired acquired = steal_for_domain(state, domain, eligible, counts);
  note_success(domain, acquired.task != nullptr);
  if (acquired.task == nullptr) ask_others(state, domain);
  domain.thief.store(0, std::memory_order_release); // release: pairs with acquire above
  return acquired;
}

const atomic<uint32_t>* hunger_word(void* state, int member) { return &domain_of(state, member).hunger; }

void set_hungry(void* state, int member, bool hungry) {
  Domain& domain = domain_of(state, member);
  uint32_t change = hungry ? 1 : ~uint32_t{0};
  // relaxed, both: a worker that parks executes the heavy side of the fence.
  domain.hunger.fetch_add(change, std::memory_order_relaxed);
  uint32_t before = domain.hungry.fetch_add(change, std::memory_order_relaxed);
  if (!hungry && before == (kAsking | 1)) stop_asking(of(state), domain);
}

bool hunger_propagated(void* state, int member) {
  // acquire: pairs with release in ask_others().
  return of(state).domain_count == 1 ||
         (domain_of(state, member).hungry.load(std::memory_order_acquire) & kAsking) != 0;
}

unsigned wanted(void* state, int member) {
  Domain& domain = domain_of(state, member);
  unsigned hungry = domain.hunger.load(std::memory_order_relaxed); // relaxed: an estimate
  unsigned waiting = domain.tasks.size();
  return waiting < hungry ? kPerHungry * hungry - waiting : 0;
}

bool has_tasks(void* memory) {
  State& state = of(memory);
  for (int index = 0; index < state.domain_count; ++index)
    if (state.domains[index].tasks.size() > 0) return true;
  return false;
}

} // namespace chomp::domain_lifos
