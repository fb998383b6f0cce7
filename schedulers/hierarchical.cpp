// The hierarchical scheduler (MTS: Olivier, Porterfield, Wheeler, Prins). The cores of one domain (chip) share a LIFO;
// when it is empty, one of them, the holder of the domain's thief token, steals FIFO from other domains, nearest first,
// enough for every idle core of its own domain, at most half of what the victim has. The others of an empty domain do
// not probe remote domains: what the thief brings appears in their LIFO, in order.
//
// Hunger: each domain has one word, raised by its own hungry members, and by a remote thief that found nothing
// published: only the holder of a token writes to other domains' words.
#include "schedulers/scheduler.h"

#include "schedulers/queues/locked_lifo.h"
#include "schedulers/victim_order.h"

namespace chomp {
namespace {

constexpr unsigned kPerHungry = 2; // tasks published for each hungry member

struct Domain {
  LockedLifo tasks;
  // Read by owners at every task: members hungry here, thieves elsewhere.
  alignas(kCacheLine) std::atomic<uint32_t> hunger{0};
  alignas(kCacheLine) std::atomic<uint32_t> own_hungry{0}; // members of this domain that are hungry
  std::atomic<uint32_t> thief{0};                          // the token: 0 free
  std::atomic<uint32_t> asking{0}; // our thief has raised the others' hunger; written by its holder
  uint16_t* victims = nullptr;     // [domain_count - 1], nearest first
};

struct State {
  int domain_count;
  const uint16_t* domain_of_member;
  Domain* domains;
};

size_t state_size(const TeamShape& shape) {
  size_t domains = static_cast<size_t>(shape.domain_count);
  return kCacheLine + domains * sizeof(Domain) + domains * domains * sizeof(uint16_t);
}

void init(void* memory, const TeamShape& shape) {
  auto* state = static_cast<State*>(memory);
  auto* domains = reinterpret_cast<Domain*>(static_cast<char*>(memory) + kCacheLine);
  auto* orders = reinterpret_cast<uint16_t*>(domains + shape.domain_count);
  *state = State{shape.domain_count, shape.domain_of_member, domains};
  for (int index = 0; index < shape.domain_count; ++index) {
    Domain* domain = new (&domains[index]) Domain;
    domain->victims = orders + index * shape.domain_count;
    victim_order(shape, index, domain->victims);
  }
}

Domain& domain_of(void* state, int member) {
  auto* hierarchy = static_cast<State*>(state);
  return hierarchy->domains[hierarchy->domain_of_member[member]];
}

void publish(void* state, int member, TaskBatch batch) { domain_of(state, member).tasks.push(batch); }

// The thief tells the other domains that somebody out here is hungry, or that it no longer is.
void ask_others(State* state, Domain& domain, bool ask) {
  // relaxed, all: `asking` is written by the token's holder only; hunger is a hint.
  if ((domain.asking.load(std::memory_order_relaxed) != 0) == ask) return;
  domain.asking.store(ask, std::memory_order_relaxed);
  for (int index = 0; index < state->domain_count; ++index)
    if (&state->domains[index] != &domain)
      state->domains[index].hunger.fetch_add(ask ? 1 : ~uint32_t{0}, std::memory_order_relaxed);
}

// By the holder of the token. Brings enough for every hungry member of the domain.
QueueHook* steal_for_domain(State* state, Domain& domain, const Eligible& eligible) {
  unsigned idle = domain.own_hungry.load(std::memory_order_relaxed); // relaxed: an estimate
  for (int index = 0; index < state->domain_count - 1; ++index) {
    TaskBatch batch = state->domains[domain.victims[index]].tasks.steal(idle > 0 ? idle : 1);
    if (batch.count == 0) continue;
    domain.tasks.push(batch);
    if (QueueHook* task = domain.tasks.pop(eligible)) return task;
  }
  return nullptr;
}

QueueHook* acquire(void* state, int member, Eligible eligible) {
  auto* hierarchy = static_cast<State*>(state);
  Domain& domain = domain_of(state, member);
  if (QueueHook* task = domain.tasks.pop(eligible)) return task;
  if (hierarchy->domain_count == 1) return nullptr;
  // acquire: pairs with the release below; what the last thief wrote to `asking` is seen.
  if (domain.thief.load(std::memory_order_relaxed) != 0 || // relaxed: a look before the exchange
      domain.thief.exchange(1, std::memory_order_acquire) != 0)
    return nullptr;
  QueueHook* task = steal_for_domain(hierarchy, domain, eligible);
  bool hungry = domain.own_hungry.load(std::memory_order_relaxed) > 0; // relaxed: an estimate
  ask_others(hierarchy, domain, task == nullptr && hungry);
  domain.thief.store(0, std::memory_order_release); // release: pairs with acquire above
  return task;
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
  ask_others(static_cast<State*>(state), domain, domain.own_hungry.load(std::memory_order_relaxed) > 0);
  domain.thief.store(0, std::memory_order_release); // release: pairs with acquire above
}

unsigned wanted(void* state, int member) {
  Domain& domain = domain_of(state, member);
  unsigned hungry = domain.hunger.load(std::memory_order_relaxed); // relaxed: an estimate
  unsigned waiting = domain.tasks.size();
  return waiting < hungry ? kPerHungry * hungry - waiting : 0;
}

bool has_tasks(void* state) {
  auto* hierarchy = static_cast<State*>(state);
  for (int index = 0; index < hierarchy->domain_count; ++index)
    if (hierarchy->domains[index].tasks.size() > 0) return true;
  return false;
}

} // namespace

extern const Scheduler hierarchical_scheduler; // for registry.cpp
constinit const Scheduler hierarchical_scheduler = {
    "hierarchical", "mts", state_size, init, publish, acquire, hunger_word, set_hungry, wanted, has_tasks,
};

} // namespace chomp
