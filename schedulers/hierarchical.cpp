// The hierarchical scheduler, the default. While a member of its domain (chip) is hungry, each member keeps its oldest
// tasks on offer, in a list of its own: it takes the newest of them, and the others of the domain take the oldest, one
// at a time. (Of more than kMostLists members of a domain, far more than it has processors, some share a list: idle
// members look at all of them.) When a domain has nothing left, one of its members steals for all, oldest first, from
// the nearest other domain that has some. CHOMP_STEAL chooses how much.
//
// It is `mts` with the domain's LIFO in parts, one for each member: members do not write to one line, and a member
// whose tasks others may not run (the scheduling constraint) does not keep another from offering some.
#include <new>

#include "schedulers/domains.h"
#include "schedulers/policy.h"
#include "schedulers/queues/locked_lifo.h"

namespace chomp {
namespace {

using policy::kMostLists;

/// What one member has on offer; in a crowded domain what some have.
struct Offered {
  LockedLifo tasks;
  // Where in its domain the member, as a thief, found a task last.
  atomic<int> last_victim{0}; // relaxed, always: a hint
  // How often it looked for descendants of a task that waits (take_descendant()), in vain.
  atomic<unsigned> looks{0}; // relaxed, always: its own, unless members share the list
};

/// The lists of one domain.
struct Lists {
  int first, count;
};

class Offers {
public:
  static size_t memory_size(const TeamShape& shape) {
    auto members = static_cast<size_t>(shape.size), domains = static_cast<size_t>(shape.domain_count);
    return kOwnBytes + Domains::memory_size(shape) + most_lists(shape) * sizeof(Offered) + domains * sizeof(Lists) +
           (members + most_lists(shape)) * sizeof(uint16_t);
  }

  static void init(void* memory, const TeamShape& shape, const SchedulerSettings& settings) {
    char* domains = static_cast<char*>(memory) + kOwnBytes;
    auto* offers = new (memory) Offers(settings.steal);
    offers->domains_.init(domains, shape);
    offers->offered_ = reinterpret_cast<Offered*>(domains + Domains::memory_size(shape));
    offers->lists_ = reinterpret_cast<Lists*>(offers->offered_ + most_lists(shape));
    offers->list_of_member_ = reinterpret_cast<uint16_t*>(offers->lists_ + shape.domain_count);
    offers->member_of_list_ = offers->list_of_member_ + shape.size;
    int first = 0;
    for (int domain = 0; domain < shape.domain_count; ++domain) {
      int count = shape.domain_size[domain] < kMostLists ? shape.domain_size[domain] : kMostLists;
      offers->lists_[domain] = {first, count};
      for (int list = 0; list < count; ++list) // relaxed: nobody else knows it yet
        (new (&offers->offered_[first + list]) Offered)->last_victim.store(list, std::memory_order_relaxed);
      int next = 0;
      for (int member = 0; member < shape.size; ++member) {
        if (shape.domain_of_member[member] != domain) continue;
        offers->list_of_member_[member] = static_cast<uint16_t>(first + next);
        offers->member_of_list_[first + next] = static_cast<uint16_t>(member);
        next = next + 1 < count ? next + 1 : 0;
      }
      first += count;
    }
  }

  static void publish(void* state, int member, TaskBatch batch) { of(state).offered(member).push(batch); }

  static Acquired acquire(void* state, int member, const Eligible& eligible, SchedulerCounts& counts) {
    Offers& offers = of(state);
    QueueHook* task = offers.offered(member).pop(eligible);
    if (task == nullptr && eligible.only_descendants && eligible.in_passing) {
      task = offers.take_descendant(member, eligible);
      if (task == nullptr && !offers.looks_everywhere(member)) return {};
    }
    int emptied = -1;
    if (task == nullptr) task = offers.take_from_own_domain(member, eligible, emptied);
    if (task != nullptr) {
      counts.acquired_local.add();
      return {.task = task, .emptied = emptied};
    }
    return offers.domains_.as_thief(member, refuses(eligible),
                                    [&] { return offers.steal_for_domain(member, eligible, counts); });
  }

  static const atomic<uint32_t>* hunger_word(void* state, int member) { return of(state).domains_.hunger_word(member); }

  static void set_hungry(void* state, int member, bool hungry) { of(state).domains_.set_hungry(member, hungry); }

  static bool hunger_propagated(void* state, int member) { return of(state).domains_.hunger_propagated(member); }

  static int taker(void* state, int member, int index) {
    static_assert(Scheduler::kTakers <= LockedLifo::kTakers);
    return of(state).offered(member).taker(index);
  }

  /// Each member offers some, whatever others do: what they have on offer may be what the hungry may not run.
  static unsigned wanted(void* state, int member) {
    Offers& offers = of(state);
    if (offers.offered(member).size() != 0) return 0;
    int domain = offers.domains_.of(member);
    unsigned wanted = policy::kPerHungry * offers.domains_.hungry_members(domain) +
                      offers.domains_.asking_domains(domain) * static_cast<unsigned>(offers.lists_[domain].count);
    return wanted > policy::kOnOffer ? wanted : policy::kOnOffer;
  }

  static bool has_tasks(void* state) {
    Offers& offers = of(state);
    const Lists& last = offers.lists_[offers.domains_.count() - 1];
    for (int list = 0; list < last.first + last.count; ++list)
      if (offers.offered_[list].tasks.size() > 0) return true;
    return false;
  }

private:
  explicit Offers(StealAmount amount) : amount_(amount) {}

  static Offers& of(void* state) { return *static_cast<Offers*>(state); }

  // Whether the member waits in a task, and so may not run every other.
  static bool refuses(const Eligible& eligible) { return eligible.refused != nullptr; }

  static size_t most_lists(const TeamShape& shape) {
    size_t lists = 0;
    for (int domain = 0; domain < shape.domain_count; ++domain)
      lists += static_cast<size_t>(shape.domain_size[domain] < kMostLists ? shape.domain_size[domain] : kMostLists);
    return lists;
  }

  LockedLifo& offered(int member) { return offered_[list_of_member_[member]].tasks; }

  // A member that waits in a tied task may run only what descends from it. That is with the member that took the task's
  // child, or with the one that took from that, and so on, so it looks there; and everywhere at each kFullLook-th look,
  // since takers are remembered only until the next one comes.
  QueueHook* take_descendant(int member, const Eligible& eligible) {
    int at = member;
    for (int left = policy::kMostTakers; left > 0; --left) {
      at = offered(at).taker(0);
      if (at < 0 || at == member) return nullptr;
      if (QueueHook* task = offered(at).steal_one(eligible)) {
        offered(at).note_taker(member);
        return task;
      }
    }
    return nullptr;
  }

  bool looks_everywhere(int member) {
    atomic<unsigned>& looks = offered_[list_of_member_[member]].looks;
    unsigned before = looks.load(std::memory_order_relaxed); // relaxed, both: its own
    looks.store(before + 1, std::memory_order_relaxed);
    return before % policy::kFullLook == policy::kFullLook - 1;
  }

  // Begins with the last victim, which may have more, and one further after each look in vain. `emptied`: whose list
  // has lost its last task.
  QueueHook* take_from_own_domain(int member, const Eligible& eligible, int& emptied) {
    const Lists& lists = lists_[domains_.of(member)];
    int own = list_of_member_[member] - lists.first;
    atomic<int>& last_victim = offered_[list_of_member_[member]].last_victim;
    int start = last_victim.load(std::memory_order_relaxed), index = start; // relaxed: a hint
    for (int left = lists.count; left > 0; --left, index = index + 1 < lists.count ? index + 1 : 0) {
      LockedLifo& victim = offered_[lists.first + index].tasks;
      if (index == own || victim.size() == 0) continue;
      if (QueueHook* task = victim.steal_one(eligible)) {
        victim.note_taker(member);
        last_victim.store(index, std::memory_order_relaxed); // relaxed: a hint
        if (victim.size() == 0 && !refuses(eligible)) emptied = member_of_list_[lists.first + index];
        return task;
      }
    }
    last_victim.store(start + 1 < lists.count ? start + 1 : 0, std::memory_order_relaxed); // relaxed: a hint
    return nullptr;
  }

  // By the thief of the member's domain.
  Acquired steal_for_domain(int member, const Eligible& eligible, SchedulerCounts& counts) {
    int domain = domains_.of(member);
    unsigned most = most_to_steal(amount_, domains_.hungry_members(domain));
    Acquired acquired;
    domains_.visit_victims(domain, eligible.in_passing, [&](int other) {
      const Lists& victims = lists_[other];
      for (int at = 0; at < victims.count && acquired.task == nullptr; ++at)
        if (LockedLifo& victim = offered_[victims.first + at].tasks; victim.size() > 0)
          steal_from(victim, member, most, eligible, acquired, counts);
      return acquired.task != nullptr;
    });
    return acquired;
  }

  // A thief that refuses some takes only what it runs: the rest would be no nearer to those that may run it.
  void steal_from(LockedLifo& victim, int member, unsigned most, const Eligible& eligible, Acquired& acquired,
                  SchedulerCounts& counts) {
    unsigned stolen = 0;
    if (refuses(eligible)) {
      acquired.task = victim.steal_one(eligible);
      stolen = acquired.task != nullptr;
    } else if (TaskBatch batch = victim.steal(most, eligible); batch.count > 0) {
      stolen = batch.count;
      offered(member).push(batch);
      acquired.task = offered(member).pop(eligible);
      acquired.handed_on |= acquired.task == nullptr || stolen > 1;
    }
    if (stolen == 0) return counts.failed_steals.add();
    victim.note_taker(member);
    counts.stolen_operations.add();
    counts.stolen_tasks.add(stolen);
  }

  static const size_t kOwnBytes;

  Domains domains_;
  StealAmount amount_;
  Offered* offered_ = nullptr; // the lists of domain 0, of domain 1, …
  Lists* lists_ = nullptr;     // by domain
  uint16_t* list_of_member_ = nullptr;
  uint16_t* member_of_list_ = nullptr; // of several one
};

constexpr size_t Offers::kOwnBytes = (sizeof(Offers) + kCacheLine - 1) / kCacheLine * kCacheLine;

} // namespace

extern const Scheduler hierarchical_scheduler; // list.def
constinit const Scheduler hierarchical_scheduler = {
    .state_size = Offers::memory_size,
    .init = Offers::init,
    .publish = Offers::publish,
    .acquire = Offers::acquire,
    .hunger_word = Offers::hunger_word,
    .set_hungry = Offers::set_hungry,
    .hunger_propagated = Offers::hunger_propagated,
    .taker = Offers::taker,
    .wanted = Offers::wanted,
    .has_tasks = Offers::has_tasks,
};

} // namespace chomp
