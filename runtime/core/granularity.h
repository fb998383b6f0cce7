// What steals are worth: how long a thief is busy with what it has acquired, divided by how long it took to acquire
// that. Thieves measure both where the steal happens, so the answer fits any machine. Distance decides: each chip
// has an answer of its own (Granularity), which creators and idle members ask; another one for the team says whether
// chips steal from one another (FarWorth). So where that does not pay a chip goes on alone. While steals within the
// chip are not worth it, idle members do not ask, except for one that probes now and then.
// runtime/how_a_task_moves.md, "Granularity control".
#pragma once

#include <cstdint>

#include "runtime/base/atomic.h"
#include "runtime/base/cacheline.h"
#include "runtime/base/lease.h"
#include "runtime/base/policy.h"

namespace chomp {

enum class StealsPay : uint8_t {
  kNo,    // recent tasks were shorter than a steal
  kDoubt, // they were longer, but not by much
  kYes,
};

class Granularity {
public:
  /// Whether recent steals were worth it. Written only when it changes.
  StealsPay steals_pay() const { return steals_pay_.load(std::memory_order_relaxed); } // relaxed: an estimate
  bool pays() const { return steals_pay() != StealsPay::kNo; }

  /// Called when a team is made whose scheduler deals: it deals, whatever steals are worth.
  void hand_over_always() {
    always_ = true;
    steals_pay_.store(StealsPay::kYes, std::memory_order_relaxed); // relaxed: nobody else knows the team
  }

  /// Whether requesters are to be answered: always, or, while steals are not worth it, each probe once. If another
  /// member is then still counted as requesting, it fell asleep while steals were worth it, or has lost its CPU for
  /// milliseconds.
  bool wants_answer() const { return pays() || !answered_.load(std::memory_order_relaxed); } // relaxed: an estimate
  /// Called when somebody was answered.
  void note_answer() {
    if (!pays()) answered_.store(true, std::memory_order_relaxed); // relaxed: an estimate
  }

  /// A thief was busy for `work` cycles with each of `tasks` tasks. Acquiring one took `cost` cycles; 0: not known.
  /// `probed`: it had asked; while steals are not worth it, that is a prober.
  void measured(uint64_t work, uint64_t cost, uint64_t tasks, bool probed = false);
  /// A creator has taken back what was on offer, although somebody asks: the steal would have taken longer. While
  /// nobody has measured more than that, it counts as one without work.
  void note_taken_back() {
    if (steals_pay() == StealsPay::kDoubt) measured(0, 0, 1);
  }
  /// Tasks of others took longer than longest_short(): `work` cycles each.
  void found_long(uint64_t work);

  /// How long an acquisition takes a thief, as a mean, in cycles.
  uint64_t cost() const { return cost_.load(std::memory_order_relaxed); } // relaxed: an estimate
  /// The longest that a task may take without being worth a steal, in cycles.
  uint64_t longest_short() const;

  /// Whether the calling member may probe now, that is, ask for a task although steals are not worth it. It then
  /// probes until it calls end_probe(), or is away for long (Lease).
  bool begin_probe(Lease::Hold& probe);
  bool still_probes(Lease::Hold& probe) { return probe_.take_or_renew(probe); }
  /// `woken`: the owner had to wake the member for the probe, which costs more.
  void end_probe(Lease::Hold& probe, bool woken);
  /// How long a probe may last, in cycles. By then a member that may run anything has found an owner that does not
  /// answer.
  uint64_t longest_probe() const;
  /// Whether a member probes.
  bool is_probed() const { return probe_.is_held(); }
  /// How long until the next probe may begin, in cycles; 0: now.
  uint64_t until_probe() const;

private:
  void decide(uint32_t ratio);

  // Read by all members, written seldom.
  alignas(kCacheLine) atomic<StealsPay> steals_pay_{StealsPay::kDoubt};
  bool always_ = false;               // it stays kYes
  atomic<uint64_t> next_probe_at_{0}; // by the cycle counter
  Lease probe_;
  atomic<bool> answered_{true}; // the member that probes, or probed last
  // Means that thieves write. They begin where a steal is just worth it.
  alignas(kCacheLine) atomic<uint32_t> ratio_{policy::kGrainCosts << 4}; // work / cost, in sixteenths
  atomic<uint32_t> cost_{1 << 8};
};

/// The same of steals from one chip to another, for the team. What a thief brings is for its whole chip, so its
/// work is that of all tasks. Only the thieves of chips ask, and creators that another chip has asked.
class FarWorth {
public:
  /// Whether a member may look at other chips: while that is worth it, or in a probe, if it is requesting.
  bool may_look(bool requesting);
  /// Whether creators are to answer other chips.
  bool wants_answer() const { return pays() || probes_at(cycle_counter()); }

  /// A thief needed `cost` cycles (0: not known) to bring what it was busy with for `work` cycles. `tasks`: those that
  /// it brought, and that it gave to others of its chip meanwhile.
  void measured(uint64_t work, uint64_t cost, uint64_t tasks);

private:
  bool pays() const { return pays_.load(std::memory_order_relaxed); } // relaxed: an estimate
  bool probes_at(uint64_t now) const { return now < probe_ends_at_.load(std::memory_order_relaxed); } // relaxed: so too
  void begin_pause(uint64_t now);

  // Read by all members, written seldom.
  alignas(kCacheLine) atomic<bool> pays_{true};
  atomic<uint64_t> next_probe_at_{0}, probe_ends_at_{0}; // by the cycle counter
  // Means, as in Granularity. The first measurement takes the place of the cost.
  alignas(kCacheLine) atomic<uint32_t> ratio_{policy::kGrainCosts << 4};
  atomic<uint32_t> cost_{0};
};

} // namespace chomp
