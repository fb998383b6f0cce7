// The means of grain feedback. See grain.h.
#include "runtime/idle/grain.h"

#include "runtime/base/plant.h"

namespace chomp {
namespace {

constexpr uint64_t kProbePause = 1 << 17; // cycles between two probes, some 50 us
constexpr uint64_t kMostWork = 1 << 18;   // what one task counts for, at most
constexpr uint64_t kMostCost = 1 << 12;   // the same for an acquisition: it may have been interrupted
constexpr uint32_t kWorthCosts = 2;       // the owner pays as much as the thief

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

bool hand_overs_pay(const HandOvers& hand_overs) {
  if (planted(Plant::kParkContent)) return false;
  // relaxed, both: an estimate.
  return hand_overs.work.load(std::memory_order_relaxed) >=
         kWorthCosts * hand_overs.cost.load(std::memory_order_relaxed);
}

bool hand_over_may_probe(HandOvers& hand_overs) {
  // relaxed, both: one member gets the permission, and nothing goes with it.
  uint64_t probed_at = hand_overs.probed_at.load(std::memory_order_relaxed);
  return probed_at != HandOvers::kProbing && cycle_counter() - probed_at >= kProbePause &&
         hand_overs.probed_at.compare_exchange_strong(probed_at, HandOvers::kProbing, std::memory_order_relaxed);
}

void hand_over_probed(HandOvers& hand_overs) {
  hand_overs.probed_at.store(cycle_counter(), std::memory_order_relaxed); // relaxed: as above
}

void HandOverTimer::end(const Worker* worker, const Member* member) {
  uint64_t took = cycle_counter() - acquired_at_, idle = worker->idle_cycles - idle_before_;
  HandOvers& hand_overs = hand_overs_of(member);
  move(hand_overs.work, took > idle ? took - idle : 0, kMostWork);
  move(hand_overs.cost, acquired_at_ - looked_at_, kMostCost);
  acquired_at_ = 0;
}

} // namespace chomp
