// The domains (chips) of a team, for schedulers whose chips steal from one another: which domains are requesting, and
// which member is the thief of each. The schedulers keep the tasks.
//
// When a domain has no task left, only one of its members, the holder of the thief token, looks at the other domains. A
// thief that found nothing backs off. Each domain has one request word: it counts the domain's requesting members, and
// says whether another domain asks, whose thief found nothing. protocols.md, "Requests across domains".
#pragma once

#include "runtime/base/atomic.h"
#include "runtime/base/cacheline.h"
#include "runtime/base/lease.h"
#include "runtime/base/policy.h"
#include "schedulers/scheduler.h"

namespace chomp {

class Domains {
public:
  /// Also says in `state` where the request words are.
  void init(SchedulerState* state, const TeamShape&, StateMemory);

  int count() const { return count_; }
  int of(int member) const { return domain_of_member_[member]; }

  void set_requesting(int member, bool requesting);
  /// Called when a requesting member of the domain has got a hand-off: the member is counted no more, and
  /// set_requesting() is not called for it.
  void fed(int domain) { count_requesting(domains_[domain], ~uint32_t{0}); }
  /// Which members of a domain accept hand-offs, by their numbers within the domain. These members are requesting, too.
  atomic<uint64_t>& accepting(int domain) { return domains_[domain].accepting; }

  /// Estimates: how many members of a domain are requesting, and whether other domains ask it for tasks. Since owners
  /// call both, neither reads the count of domains that ask, which all thieves write.
  unsigned requesting_members(int domain) const;
  bool others_ask(int domain) const;

  /// Calls steal(), which returns Acquired, if the member becomes its domain's thief; otherwise finds nothing. After a
  /// thief that refuses some tasks has found nothing, only thieves of that kind back off.
  template <class Steal> Acquired as_thief(int member, OtherDomains others, bool refuses, Steal steal) {
    Acquired acquired;
    if (count_ == 1) return acquired;
    Domain& domain = of_member(member);
    if (others == OtherDomains::kStays) {
      withdraw(domain);
      return acquired;
    }
    Pause& pause = domain.pauses[refuses];
    Lease::Hold token;
    if (backs_off(pause) || !domain.thief.take_or_renew(token)) return acquired;
    acquired = steal();
    end_steal(domain, pause, token, acquired.task != nullptr, others == OtherDomains::kAsks);
    return acquired;
  }

  /// Called by steal(): calls visit(victim) for the other domains, nearest first, until a call returns true: it has got
  /// a task. Where there are many domains, a thief that looks in passing visits only a few. The next such thief begins
  /// behind these, or where this one got a task.
  template <class Visit> void visit_victims(int domain, bool in_passing, Visit visit) {
    constexpr int kMost = policy::kLooksInPassing;
    int others = count_ - 1;
    bool few = in_passing && others > kMost;
    atomic<int>& hint = domains_[domain].next_victim;
    int next = few ? hint.load(std::memory_order_relaxed) : 0; // relaxed: a hint
    for (int left = few ? kMost : others; left > 0; --left) {
      if (visit(domains_[domain].victims[next])) break;
      next = next + 1 < others ? next + 1 : 0;
    }
    if (few) hint.store(next, std::memory_order_relaxed); // relaxed: a hint
  }

private:
  // Written by the token's holder.
  struct Pause {
    atomic<uint64_t> failed_at{0}; // when a thief last found nothing, in cycles; 0: the last one found something
  };

  struct Domain {
    // Read by owners at every task: how many members are requesting here, and kElsewhere while domains ask.
    alignas(kCacheLine) atomic<uint32_t> requests{0};
    // How many members of this domain are requesting, and kAsking while the domain is counted in `asking_`. Both are in
    // one word, so that the bit goes exactly when no member is requesting any more. This word lies on the line of
    // `requests`, since the two change together.
    atomic<uint32_t> requesting{0};
    // Which of the domain's first 64 members accept hand-offs: bit n for the n-th of them. On that line, too.
    atomic<uint64_t> accepting{0};
    alignas(kCacheLine) Lease thief; // the token
    // It may be counted in `asking_`: seldom written, so that a member which withdraws need not look at `requesting`.
    atomic<bool> asks{false};
    Pause pauses[2];             // [1]: of thieves that refuse some tasks
    atomic<int> next_victim{0};  // where the next look in passing begins, in `victims`; relaxed, always: a hint
    uint16_t* victims = nullptr; // the other domains, nearest first
  };

  Domain& of_member(int member) const { return domains_[of(member)]; }
  void count_requesting(Domain&, uint32_t change);
  void stop_asking(Domain&);
  void ask_others(Domain&);
  void withdraw(Domain&);
  void announce_all();
  static bool backs_off(const Pause&);
  void end_steal(Domain&, Pause&, Lease::Hold& token, bool success, bool asks);

  int count_ = 1;
  const uint16_t* domain_of_member_ = nullptr;
  Domain* domains_ = nullptr;
  // How many domains ask, and whether all request words say so (kAnnounced), or are being changed (kAnnouncing).
  atomic<uint32_t>* asking_ = nullptr;
};

/// How many tasks a steal takes at most for a domain with `requesting` requesting members. The victim keeps half in any
/// case.
unsigned most_to_steal(StealAmount, unsigned requesting);

} // namespace chomp
