// The hierarchical scheduler, the default. While a member of its domain (chip) is hungry, each member keeps its oldest
// tasks on offer, in a list of its own: it takes the newest of them, and the others of the domain take the oldest, one
// at a time. When a domain has nothing left, one of its members steals for all, oldest first, from the nearest other
// domain that has some. CHOMP_STEAL chooses how much.
//
// It is `mts` with the domain's LIFO in parts, one for each member: members do not write to one line, and a member
// whose tasks others may not run (the scheduling constraint) does not keep another from offering some.
#include <new>

#include "schedulers/domains.h"
#include "schedulers/policy.h"
#include "schedulers/queues/locked_lifo.h"

namespace chomp {
namespace {

struct PerMember {
  LockedLifo offered;
  int last_victim = 0; // the member's own, as a thief: where in its domain it found a task last
};

/// The members of one domain.
struct Members {
  const uint16_t* numbers;
  int count;
};

class Offers {
public:
  static size_t memory_size(const TeamShape& shape) {
    auto members = static_cast<size_t>(shape.size), domains = static_cast<size_t>(shape.domain_count);
    return kOwnBytes + Domains::memory_size(shape) + members * sizeof(PerMember) + domains * sizeof(Members) +
           members * sizeof(uint16_t);
  }

  static void init(void* memory, const TeamShape& shape, const SchedulerSettings& settings) {
    char* domains = static_cast<char*>(memory) + kOwnBytes;
    auto* offers = new (memory) Offers(settings.steal);
    offers->domains_.init(domains, shape);
    offers->per_member_ = reinterpret_cast<PerMember*>(domains + Domains::memory_size(shape));
    offers->members_ = reinterpret_cast<Members*>(offers->per_member_ + shape.size);
    auto* numbers = reinterpret_cast<uint16_t*>(offers->members_ + shape.domain_count);
    for (int domain = 0; domain < shape.domain_count; ++domain) {
      uint16_t* first = numbers;
      for (int member = 0; member < shape.size; ++member) {
        if (shape.domain_of_member[member] != domain) continue;
        (new (&offers->per_member_[member]) PerMember)->last_victim = static_cast<int>(numbers - first);
        *numbers++ = static_cast<uint16_t>(member);
      }
      offers->members_[domain] = {first, static_cast<int>(numbers - first)};
    }
  }

  static void publish(void* state, int member, TaskBatch batch) { of(state).offered(member).push(batch); }

  static Acquired acquire(void* state, int member, const Eligible& eligible, SchedulerCounts& counts) {
    Offers& offers = of(state);
    QueueHook* task = offers.offered(member).pop(eligible);
    if (task == nullptr) task = offers.take_from_own_domain(member, eligible);
    if (task != nullptr) {
      counts.acquired_local.add();
      return {.task = task};
    }
    return offers.domains_.as_thief(member, refuses(eligible),
                                    [&] { return offers.steal_for_domain(member, eligible, counts); });
  }

  static const atomic<uint32_t>* hunger_word(void* state, int member) { return of(state).domains_.hunger_word(member); }

  static void set_hungry(void* state, int member, bool hungry) { of(state).domains_.set_hungry(member, hungry); }

  static bool hunger_propagated(void* state, int member) { return of(state).domains_.hunger_propagated(member); }

  /// Each member offers some, whatever others do: what they have on offer may be what the hungry may not run.
  static unsigned wanted(void* state, int member) {
    Offers& offers = of(state);
    if (offers.offered(member).size() != 0) return 0;
    int domain = offers.domains_.of(member);
    unsigned wanted = policy::kPerHungry * offers.domains_.hungry_members(domain) +
                      offers.domains_.asking_domains(domain) * static_cast<unsigned>(offers.members_[domain].count);
    return wanted > policy::kOnOffer ? wanted : policy::kOnOffer;
  }

  static bool has_tasks(void* state) {
    Offers& offers = of(state);
    for (int domain = 0; domain < offers.domains_.count(); ++domain)
      for (int index = 0; index < offers.members_[domain].count; ++index)
        if (offers.offered(offers.members_[domain].numbers[index]).size() > 0) return true;
    return false;
  }

private:
  explicit Offers(StealAmount amount) : amount_(amount) {}

  static Offers& of(void* state) { return *static_cast<Offers*>(state); }

  // Whether the member waits in a task, and so may not run every other.
  static bool refuses(const Eligible& eligible) { return eligible.refused != nullptr; }

  LockedLifo& offered(int member) { return per_member_[member].offered; }

  // Begins with the last victim, which may have more, and one further after each look in vain.
  QueueHook* take_from_own_domain(int member, const Eligible& eligible) {
    const Members& members = members_[domains_.of(member)];
    int& last_victim = per_member_[member].last_victim;
    int index = last_victim;
    for (int left = members.count; left > 0; --left, index = index + 1 < members.count ? index + 1 : 0) {
      int victim = members.numbers[index];
      if (victim == member || offered(victim).size() == 0) continue;
      if (QueueHook* task = offered(victim).steal_one(eligible)) {
        last_victim = index;
        return task;
      }
    }
    last_victim = last_victim + 1 < members.count ? last_victim + 1 : 0;
    return nullptr;
  }

  // By the thief of the member's domain.
  Acquired steal_for_domain(int member, const Eligible& eligible, SchedulerCounts& counts) {
    int domain = domains_.of(member);
    unsigned most = most_to_steal(amount_, domains_.hungry_members(domain));
    Acquired acquired;
    for (int index = 0; index < domains_.count() - 1 && acquired.task == nullptr; ++index) {
      const Members& victims = members_[domains_.victims(domain)[index]];
      for (int at = 0; at < victims.count && acquired.task == nullptr; ++at)
        if (offered(victims.numbers[at]).size() > 0)
          steal_from(victims.numbers[at], member, most, eligible, acquired, counts);
    }
    return acquired;
  }

  // A thief that refuses some takes only what it runs: the rest would be no nearer to those that may run it.
  void steal_from(int victim, int member, unsigned most, const Eligible& eligible, Acquired& acquired,
                  SchedulerCounts& counts) {
    unsigned stolen = 0;
    if (refuses(eligible)) {
      acquired.task = offered(victim).steal_one(eligible);
      stolen = acquired.task != nullptr;
    } else if (TaskBatch batch = offered(victim).steal(most); batch.count > 0) {
      stolen = batch.count;
      offered(member).push(batch);
      acquired.task = offered(member).pop(eligible);
      acquired.handed_on |= acquired.task == nullptr || stolen > 1;
    }
    if (stolen == 0) return counts.failed_steals.add();
    counts.stolen_operations.add();
    counts.stolen_tasks.add(stolen);
  }

  static const size_t kOwnBytes;

  Domains domains_;
  StealAmount amount_;
  PerMember* per_member_ = nullptr;
  Members* members_ = nullptr; // by domain
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
    .wanted = Offers::wanted,
    .has_tasks = Offers::has_tasks,
};

} // namespace chomp
