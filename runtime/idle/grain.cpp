// The means of grain feedback. See grain.h.
#include "runtime/idle/grain.h"

#include "runtime/base/plant.h"
#include "runtime/machine/topology.h"

namespace chomp {
namespace {

constexpr uint64_t kTurnPause = 1 << 17; // cycles between two turns, some 50 us
constexpr uint32_t kMostBetween = 7;     // turns between two probes, so that these are half a millisecond apart
constexpr uint64_t kMostWork = 1 << 18;  // what one task counts for, at most
constexpr uint64_t kMostCost = 1 << 12;  // the same for an acquisition: it may have been interrupted
constexpr uint64_t kMostCounted = 8;     // so many of the tasks that an acquisition brought, at most
constexpr uint32_t kWorthCosts = 2;      // the owner pays as much as the thief
constexpr uint32_t kClearlyWorth = 4;

// The mean moves by a part of the difference: fast up, so that one large task among many small ones counts, and slowly
// down.
constexpr uint32_t kPartUp = 2, kPartDown = 64;

uint32_t moved(uint32_t mean, uint32_t value) {
  return value > mean ? mean + (value - mean + kPartUp - 1) / kPartUp
                      : mean - (mean - value + kPartDown - 1) / kPartDown;
}

void move(atomic<uint32_t>& mean, uint64_t value, uint64_t most) {
  // relaxed, both: an estimate, so a value of another thief may be lost. The line is written only when it changes.
  uint32_t before = mean.load(std::memory_order_relaxed);
  uint32_t after = moved(before, static_cast<uint32_t>(value < most ? value : most));
  if (after != before) mean.store(after, std::memory_order_relaxed);
}

} // namespace

// Whether a task is worth its hand-over that takes a thief so long, by what acquisitions have cost of late.
static bool worth_it(const HandOvers& hand_overs, uint64_t work) {
  return work >= kWorthCosts * hand_overs.cost.load(std::memory_order_relaxed); // relaxed: an estimate
}

bool hand_overs_pay(const HandOvers& hand_overs) {
  if (planted(Plant::kParkContent)) return false;
  return worth_it(hand_overs, hand_overs.work.load(std::memory_order_relaxed)); // relaxed: an estimate
}

bool hand_overs_in_doubt(const HandOvers& hand_overs) {
  // relaxed, both: an estimate.
  return hand_overs.work.load(std::memory_order_relaxed) <
         kClearlyWorth * kWorthCosts * hand_overs.cost.load(std::memory_order_relaxed);
}

uint64_t short_tasks_take(const HandOvers& hand_overs, int64_t count) {
  // relaxed: an estimate.
  uint64_t all = kWorthCosts * hand_overs.work.load(std::memory_order_relaxed) * static_cast<uint64_t>(count);
  return all < kMostWork ? all : kMostWork;
}

// A hand-over was worth it: the next ones are probes again.
static void probe_often(HandOvers& hand_overs) {
  // relaxed, all: estimates. The line is written only when it changes.
  if (hand_overs.turns_between.load(std::memory_order_relaxed) == 0) return;
  hand_overs.turns_between.store(0, std::memory_order_relaxed);
  hand_overs.turns_left.store(0, std::memory_order_relaxed);
}

void hand_over_took(HandOvers& hand_overs, uint64_t cycles) {
  move(hand_overs.work, cycles, kMostWork);
  probe_often(hand_overs);
}

void hand_over_is_wanted(HandOvers& hand_overs) { hand_over_took(hand_overs, kMostWork); }

bool hand_over_takes_turn(HandOvers& hand_overs) {
  // relaxed, both: one member gets the turn, and what goes with it are estimates.
  uint64_t probed_at = hand_overs.probed_at.load(std::memory_order_relaxed);
  return probed_at != HandOvers::kProbing && cycle_counter() - probed_at >= kTurnPause &&
         hand_overs.probed_at.compare_exchange_strong(probed_at, HandOvers::kProbing, std::memory_order_relaxed);
}

bool hand_over_probe_is_due(HandOvers& hand_overs) {
  // relaxed, both: as above.
  uint32_t left = hand_overs.turns_left.load(std::memory_order_relaxed);
  if (left > 0) hand_overs.turns_left.store(left - 1, std::memory_order_relaxed);
  return left == 0;
}

void hand_over_turn_ends(HandOvers& hand_overs) {
  hand_overs.probed_at.store(cycle_counter(), std::memory_order_relaxed); // relaxed: as above
}

void hand_over_probed(HandOvers& hand_overs) {
  // relaxed, all: as above.
  uint32_t between = 2 * hand_overs.turns_between.load(std::memory_order_relaxed) + 1;
  if (between > kMostBetween) between = kMostBetween;
  hand_overs.turns_between.store(between, std::memory_order_relaxed);
  hand_overs.turns_left.store(between, std::memory_order_relaxed);
  hand_over_turn_ends(hand_overs);
}

// What each of `tasks` tasks with dependences costs that were acquired in one look, in cycles. Beside its release, one
// and a half times as much goes into the lines of its header, its node and its data. P threads that work `work` on each
// are faster than one that works `work - cost` if work > cost * P / (P - 1).
static uint64_t cost_with_dependences(uint64_t look, uint64_t release, uint64_t tasks, const Team* team) {
  int threads = team->size() < topology.running_cpus ? team->size() : topology.running_cpus;
  uint64_t others = threads > 2 ? static_cast<uint64_t>(threads) - 1 : 1;
  return (look + release * 5 / 2) / tasks * (others + 1) / others / kWorthCosts;
}

void HandOverTimer::end(Worker* worker, const Member* member) {
  uint64_t took = cycle_counter() - acquired_at_, idle = worker->idle_cycles - idle_before_;
  uint64_t look = looked_at_ != 0 ? acquired_at_ - looked_at_ : 0,
           release = worker->release_cycles - release_cycles_before_;
  uint64_t tasks = worker->released - released_before_ + 1;
  uint64_t work = took > idle ? (took - idle) / tasks : 0;
  uint64_t cost = release == 0 ? look : cost_with_dependences(look, release, tasks, member->team);
  HandOvers& hand_overs = hand_overs_of(member);
  for (uint64_t i = 0; i < tasks && i < kMostCounted; ++i) {
    move(hand_overs.work, work, kMostWork);
    if (looked_at_ != 0 || release != 0) move(hand_overs.cost, cost, kMostCost);
  }
  if (worth_it(hand_overs, work)) probe_often(hand_overs);
  acquired_at_ = 0;
  --worker->timed_acquisitions;
}

void HandOverTimer::part_ends(Worker* worker, const Member* member) {
  end(worker, member);
  looked_at_ = cycle_counter(); // the rest needs no look
  acquired(worker);
}

} // namespace chomp
