// See domain_lifos.h.
#include "schedulers/domain_lifos.h"

#include <new>

#include "schedulers/queues/locked_lifo.h"
#include "schedulers/victim_order.h"

namespace chomp::domain_lifos {
namespace {

constexpr unsigned kPerHungry = 2; // tasks published for each hungry member

// How long a thief that found nothing keeps away from the others' cache lines, in cycles, doubling. The longest is
// below what the fence before parking costs, so that the last look of who goes to sleep is never left out.
constexpr uint64_t kFirstPause = 1 << 8, kLongestPause = 1 << 12;

struct Domain {
  LockedLifo tasks;
  // Read by owners at every task: members hungry here, thieves elsewhere.
  alignas(kCacheLine) std::atomic<uint32_t> hunger{0};
  alignas(kCacheLine) std::atomic<uint32_t> own_hungry{0}; // members of this domain that are hungry
  std::atomic<uint32_t> thief{0};                          // the token: 0 free
  // Written by the token's holder.
  std::atomic<uint32_t> asking{0};    // our thief has raised the others' hunger
  std::atomic<uint64_t> failed_at{0}; // when it last found nothing, in cycles
  std::atomic<uint64_t> pause{0};     // for how long nobody tries again
  uint16_t* victims = nullptr;        // [domain_count - 1], nearest first
};

struct State {
  int domain_count;
  StealAmount amount;
  const uint16_t* domain_of_member;
  Domain* domains;
};

State& of(void* state) { return *static_cast<State*>(state); }

Domain& domain_of(void* state, int member) { return of(state).domains[of(state).domain_of_member[member]]; }

// The thief tells the other domains that somebody out here is hungry, or that it no longer is.
void ask_others(State& state, Domain& domain, bool ask) {
  // relaxed, all: `asking` is written by the token's holder only; hunger is a hint.
  if ((domain.asking.load(std::memory_order_relaxed) != 0) == ask) return;
  domain.asking.store(ask, std::memory_order_relaxed);
  for (int index = 0; index < state.domain_count; ++index)
    if (&state.domains[index] != &domain)
      state.domains[index].hunger.fetch_add(ask ? 1 : ~uint32_t{0}, std::memory_order_relaxed);
}

// How many tasks a steal for so many hungry members takes at most.
unsigned most_to_steal(StealAmount amount, unsigned hungry) {
  if (hungry == 0) hungry = 1; // who looks without waiting: taskyield
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
  // relaxed: an estimate.
  unsigned most = most_to_steal(state.amount, domain.own_hungry.load(std::memory_order_relaxed));
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
  // acquire: pairs with the release below; what the last thief wrote to `asking` is seen.
  if (domain.thief.load(std::memory_order_relaxed) != 0 || // relaxed: a look before the exchange
      domain.thief.exchange(1, std::memory_order_acquire) != 0)
    return {};
  Acquired acquired = steal_for_domain(state, domain, eligible, counts);
  note_success(domain, acquired.task != nullptr);
  bool hungry = domain.own_hungry.load(std::memory_order_relaxed) > 0; // relaxed: an estimate
  ask_others(state, domain, acquired.task == nullptr && hungry);
  domain.thief.store(0, std::memory_order_release); // release: pairs with acquire above
  return acquired;
}

const std::atomic<uint32_t>* hunger_word(void* state, int member) { return &domain_of(state, member).hunger; }

void set_hungry(void* state, int member, bool hungry) {
  Domain& domain = domain_of(state, member);
  uint32_t change = hungry ? 1 : ~uint32_t{0};
  // relaxed, all: hints; a worker that parks executes the heavy side of the fence.
  uint32_t before = domain.own_hungry.fetch_add(change, std::memory_order_relaxed);
  domain.hunger.fetch_add(change, std::memory_order_relaxed);
  if (hungry || before != 1 || domain.asking.load(std::memory_order_relaxed) == 0) return;
  // The last hungry member of the domain is content: nobody asks the other domains any more.
  // acquire: pairs with the release below and in acquire(). If the token is taken, its holder decides.
  if (domain.thief.exchange(1, std::memory_order_acquire) != 0) return;
  ask_others(of(state), domain, domain.own_hungry.load(std::memory_order_relaxed) > 0);
  domain.thief.store(0, std::memory_order_release); // release: pairs with acquire above
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
