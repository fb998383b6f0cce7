// See granularity.h.
#include "runtime/core/granularity.h"

#include <algorithm>

#include "runtime/base/os_linux.h"
#include "runtime/base/policy.h"

namespace chomp {
namespace {

constexpr uint32_t kSixteenths = 16; // of Granularity::ratio_

constexpr uint32_t kLeastRatio = kSixteenths, kMostRatio = 2 * policy::kCoarseGrainCosts * kSixteenths;

// Granularity at most doubles with one measurement, since the thief may have lost its CPU meanwhile. It falls slowly:
// so two large tasks among many small ones count for a while, in which others like them may be found.
uint32_t moved_ratio(uint32_t mean, uint64_t value, uint64_t tasks) {
  if (value >= mean) {
    uint64_t most = 2 * mean < kMostRatio ? 2 * mean : kMostRatio;
    return static_cast<uint32_t>(std::min(value, most));
  }
  auto low = static_cast<uint32_t>(std::max<uint64_t>(value, kLeastRatio));
  for (; tasks > 0 && low < mean; --tasks) mean -= (mean - low + policy::kPartDown - 1) / policy::kPartDown;
  return mean;
}

constexpr uint64_t kMostCost = uint64_t{1} << 24; // of a first measurement

// A thread that was preempted while it measured counts for little. A prober has no others in its way, as thieves have:
// if its cost is less, it replaces the mean.
void move_cost(atomic<uint32_t>& mean, uint64_t value, bool probed) {
  uint32_t before = mean.load(std::memory_order_relaxed); // relaxed, all: an estimate
  auto now = static_cast<int64_t>(std::min(value, uint64_t{4} * before));
  auto after =
      static_cast<uint32_t>(probed && now < before ? std::max<int64_t>(now, before / 4) : before + (now - before) / 8);
  if (after != before && after != 0) mean.store(after, std::memory_order_relaxed);
}

} // namespace

// The lines are written only when something changes.
void Granularity::decide(uint32_t ratio) {
  if (always_) return;
  // relaxed, all: estimates, so a value of another thief may be lost.
  if (ratio != ratio_.load(std::memory_order_relaxed)) ratio_.store(ratio, std::memory_order_relaxed);
  StealsPay pay = ratio < policy::kGrainCosts * kSixteenths         ? StealsPay::kNo
                  : ratio < policy::kCoarseGrainCosts * kSixteenths ? StealsPay::kDoubt
                                                                    : StealsPay::kYes;
  if (pay != steals_pay_.load(std::memory_order_relaxed)) steals_pay_.store(pay, std::memory_order_relaxed);
}

void Granularity::measured(uint64_t work, uint64_t cost, uint64_t tasks, bool probed) {
  if (cost != 0) move_cost(cost_, cost, probed && !pays());
  uint64_t value = work * kSixteenths / this->cost();
  uint32_t ratio = moved_ratio(ratio_.load(std::memory_order_relaxed), value, tasks); // relaxed: an estimate
  // relaxed: an estimate. A probe at once shows whether it was chance.
  if (value >= policy::kGrainCosts * kSixteenths && !pays()) next_probe_at_.store(0, std::memory_order_relaxed);
  decide(ratio);
}

bool FarWorth::may_look(bool requesting) {
  if (pays()) return true;
  if (!requesting) return false;
  uint64_t now = cycle_counter();
  if (probes_at(now)) return true;
  // relaxed, all: estimates.
  uint64_t at = next_probe_at_.load(std::memory_order_relaxed);
  if (now < at && at - now <= uint64_t{1} << 32) return false; // the counter may have been set back
  if (probe_ends_at_.load(std::memory_order_relaxed) >= at) {  // the probe has found nothing
    begin_pause(now);
    return false;
  }
  probe_ends_at_.store(now + cost_.load(std::memory_order_relaxed) * policy::kCoarseGrainCosts,
                       std::memory_order_relaxed);
  return true;
}

// Ends a probe, too.
void FarWorth::begin_pause(uint64_t now) {
  // relaxed, all: estimates.
  probe_ends_at_.store(0, std::memory_order_relaxed);
  next_probe_at_.store(now + cost_.load(std::memory_order_relaxed) * policy::kProbeCosts, std::memory_order_relaxed);
}

void FarWorth::measured(uint64_t work, uint64_t cost, uint64_t tasks) {
  // relaxed, all: estimates.
  if (uint32_t mean = cost_.load(std::memory_order_relaxed); mean != 0)
    move_cost(cost_, cost != 0 ? cost : mean, false);
  else
    cost_.store(static_cast<uint32_t>(std::clamp<uint64_t>(cost, 1, kMostCost)), std::memory_order_relaxed);
  uint64_t value = work * tasks * kSixteenths / cost_.load(std::memory_order_relaxed);
  uint32_t ratio = moved_ratio(ratio_.load(std::memory_order_relaxed), value, 1);
  ratio_.store(ratio, std::memory_order_relaxed);
  bool before = pays(), now = ratio >= policy::kGrainCosts * kSixteenths;
  if (now != before) pays_.store(now, std::memory_order_relaxed);
  if (!now && (before || value < policy::kGrainCosts * kSixteenths)) begin_pause(cycle_counter());
}

void Granularity::found_long(uint64_t work) { measured(work, cost(), 1); }

uint64_t Granularity::longest_short() const { return policy::kGrainCosts * cost(); }

bool Granularity::begin_probe(Lease::Hold& probe) {
  if (until_probe() != 0 || !probe_.take_or_renew(probe)) return false;
  answered_.store(false, std::memory_order_relaxed); // relaxed: an estimate
  return true;
}

uint64_t Granularity::until_probe() const {
  uint64_t at = next_probe_at_.load(std::memory_order_relaxed), now = cycle_counter(); // relaxed: an estimate
  bool counter_was_set_back = at > now && at - now > uint64_t{1} << 32;
  return at > now && !counter_was_set_back ? at - now : 0;
}

uint64_t Granularity::longest_probe() const {
  return policy::kProbeCosts * cost() + 4 * policy::kAnswerFences * heavy_fence_cycles();
}

void Granularity::end_probe(Lease::Hold& probe, bool woken) {
  // A member that was woken for a probe pauses for as long as a sentinel does. A cycle takes half a nanosecond, or
  // less.
  uint64_t pause = woken ? 2 * policy::kBusyPauseNs : cost() * policy::kProbeCosts;
  next_probe_at_.store(cycle_counter() + pause, std::memory_order_relaxed); // relaxed: an estimate
  probe_.drop(probe);
}

} // namespace chomp
