// See domains.h.
#include "schedulers/domains.h"

#include "runtime/base/policy.h"
#include "schedulers/victim_order.h"

namespace chomp {
namespace {

constexpr uint32_t kAsking = 1u << 31;                                                        // in Domain::requesting
constexpr uint32_t kElsewhere = kRequestedElsewhere;                                          // in Domain::requests
constexpr uint32_t kAnnouncing = 1u << 30, kAnnounced = 1u << 31, kDomains = kAnnouncing - 1; // in `asking_`

} // namespace

void Domains::init(SchedulerState* state, const TeamShape& shape, StateMemory memory) {
  count_ = shape.domain_count;
  domain_of_member_ = shape.domain_of_member;
  asking_ = make_array<atomic<uint32_t>>(memory, 1);
  domains_ = make_array<Domain>(memory, count_);
  state->first_request_word = &domains_[0].requests;
  state->bytes_to_next_word = sizeof(Domain);
  auto* orders = make_array<uint16_t>(memory, count_ * count_);
  for (int index = 0; index < count_; ++index) {
    domains_[index].victims = orders + index * count_;
    victim_order(shape, index, domains_[index].victims);
  }
}

// Makes all request words say whether domains ask. Each word is on a line that all owners of a domain read. So one
// member at a time changes the words, however many domains begin or cease to ask meanwhile.
void Domains::announce_all() {
  // acquire, all: pairs with the release below, so this member sees what the last one has changed.
  uint32_t word = asking_->load(std::memory_order_acquire);
  for (;;) {
    bool asked = (word & kDomains) != 0, announced = (word & kAnnounced) != 0;
    if ((word & kAnnouncing) != 0 || asked == announced) return; // the member that changes them looks again afterwards
    // acquire, both: pairs as above.
    if (!asking_->compare_exchange_weak(word, (word & kDomains) | kAnnouncing, std::memory_order_acquire,
                                        std::memory_order_acquire))
      continue;
    for (int index = 0; index < count_; ++index)
      // relaxed: ordered by `asking_`.
      domains_[index].requests.fetch_add(kElsewhere, std::memory_order_relaxed); // the highest bit: set or cleared
    uint32_t change = asked ? kAnnounced - kAnnouncing : ~kAnnouncing + 1;
    // acq_rel: pairs with acquire above.
    word = asking_->fetch_add(change, std::memory_order_acq_rel) + change;
  }
}

// Called by the member that brought the count to zero, or found it zero: the domain asks no more.
void Domains::stop_asking(Domain& domain) {
  uint32_t none_requesting = kAsking;
  // acquire: pairs with release in ask_others(): one is added for the domain before it is taken off.
  if (!domain.requesting.compare_exchange_strong(none_requesting, 0, std::memory_order_acquire,
                                                 std::memory_order_relaxed))
    return;
  asking_->fetch_sub(1, std::memory_order_relaxed); // relaxed: a count
  announce_all();
}

// Called by a thief that found nothing: makes other domains see that a member here is requesting, until none is. Proof:
// protocols.md, "Requests across domains".
void Domains::ask_others(Domain& domain) {
  uint32_t requesting = domain.requesting.load(std::memory_order_relaxed); // relaxed: the fetch_or decides
  if (requesting == 0 || (requesting & kAsking) != 0) return;
  asking_->fetch_add(1, std::memory_order_relaxed); // relaxed: released with the bit
  announce_all();
  // release: pairs with acquire in stop_asking(): whoever takes the bit back sees the domain counted.
  uint32_t before = domain.requesting.fetch_or(kAsking, std::memory_order_release);
  if ((before & kAsking) != 0) {                      // another thief has asked, whose lease was over
    asking_->fetch_sub(1, std::memory_order_relaxed); // relaxed: a count
    announce_all();
  } else if (before == 0) {
    stop_asking(domain);
  }
  // release: pairs with the exchange in withdraw(): a member that sees the flag sees the bit.
  domain.asks.store(true, std::memory_order_release);
}

// Called by a member that may not look at other domains: they need not answer this one, whoever requests here. Proof:
// protocols.md, "Requests across domains".
void Domains::withdraw(Domain& domain) {
  if (!domain.asks.load(std::memory_order_relaxed)) return; // relaxed: a cheap look first
  // acquire: pairs with release in ask_others().
  if (!domain.asks.exchange(false, std::memory_order_acquire)) return;
  // acquire: as in stop_asking().
  if ((domain.requesting.fetch_and(~kAsking, std::memory_order_acquire) & kAsking) == 0) return;
  asking_->fetch_sub(1, std::memory_order_relaxed); // relaxed: a count
  announce_all();
}

unsigned Domains::requesting_members(int domain) const {
  return domains_[domain].requesting.load(std::memory_order_relaxed) & ~kAsking; // relaxed: an estimate
}

bool Domains::others_ask(int domain) const {
  return (domains_[domain].requests.load(std::memory_order_relaxed) & kElsewhere) != 0; // relaxed: an estimate
}

// Whether the domain's last thief of that kind found nothing, and that was a moment ago.
bool Domains::backs_off(const Pause& pause) {
  uint64_t failed_at = pause.failed_at.load(std::memory_order_relaxed); // relaxed: an estimate
  return failed_at != 0 && cycle_counter() - failed_at < policy::kThiefPause;
}

void Domains::end_steal(Domain& domain, Pause& pause, Lease::Hold& token, bool success, bool asks) {
  // relaxed: the token's holder writes, others estimate.
  pause.failed_at.store(success ? 0 : cycle_counter(), std::memory_order_relaxed);
  if (!success && asks) ask_others(domain);
  domain.thief.drop(token);
}

void Domains::set_requesting(int member, bool requesting) {
  count_requesting(of_member(member), requesting ? 1 : ~uint32_t{0});
}

void Domains::count_requesting(Domain& domain, uint32_t change) {
  // relaxed, both: a worker that parks executes the heavy side of the fence.
  domain.requests.fetch_add(change, std::memory_order_relaxed);
  uint32_t before = domain.requesting.fetch_add(change, std::memory_order_relaxed);
  if (change != 1 && before == (kAsking | 1)) stop_asking(domain);
}

unsigned most_to_steal(StealAmount amount, unsigned requesting) {
  if (requesting == 0) requesting = 1; // a look without waiting: taskyield
  switch (amount) {
  case StealAmount::kOne: return 1;
  case StealAmount::kHalfIdle: return (requesting + 1) / 2;
  case StealAmount::kIdle: return requesting;
  case StealAmount::kHalfQueue: return ~0u; // LockedLifo::steal() stops at half
  }
  __builtin_unreachable();
}

} // namespace chomp
