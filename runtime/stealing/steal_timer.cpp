// See steal_timer.h.
#include "runtime/stealing/steal_timer.h"

#include <algorithm>

#include "runtime/base/policy.h"
#include "runtime/machine/topology.h"

namespace chomp {

static constexpr uint64_t kMostInPart = policy::kBatch; // tasks with dependences that are timed together

void StealTimer::acquired(Worker* worker) {
  ++worker->stealing.timed_acquisitions;
  acquired_at_ = cycle_counter();
  idle_before_ = worker->stealing.idle_cycles;
  published_before_ = worker->observe.counters.published.value();
  released_before_ = worker->tasks.released;
  end_cycles_before_ = worker->stealing.end_cycles;
  from_elsewhere_ = worker->stealing.from_elsewhere;
}

// The threads that a member shares tasks with, if not with another chip.
static int32_t sharers(const Member* member) {
  const Team* team = member->team;
  return team->tells_chips_apart ? std::min<int32_t>(team->shape.domain_size[member->domain], team->size())
                                 : team->size();
}

// The cost of each of `tasks` tasks, in cycles. One look brought the first of them; the others have dependences. The
// rest of the cost is their ends: mostly transfers of lines, for which their creator would not have to wait. The
// creator waits for the lines that come back: 3/2 times as long on one chip, twice as long for those from another
// chip. P threads that take `work` each are faster than one if (work + cost) / P + waits * cost < work, so if work >
// cost * (1 + waits * P) / (P - 1). Granularity compares work with kGrainCosts costs, hence the division.
static uint64_t cost_with_ends(uint64_t look, uint64_t ends, uint64_t tasks, int32_t sharers, bool far) {
  auto threads = static_cast<uint64_t>(std::clamp<int>(sharers, 2, std::max<int>(topology.running_cpus, 2)));
  uint64_t halves = far ? 4 : 3;
  return (look + ends) / tasks * (2 + halves * threads) / (2 * (threads - 1)) / policy::kGrainCosts;
}

// All thieves write the same line, so those of a large team, or of a large chip, take turns, unless they probe.
static bool measures(Worker* worker, const Member* member) {
  if (member->worth->pays() && ++worker->stealing.unmeasured < sharers(member) / policy::kLooksInPassing) return false;
  worker->stealing.unmeasured = 0;
  return true;
}

void StealTimer::end(Worker* worker, const Member* member) {
  uint64_t took = cycle_counter() - acquired_at_, idle = worker->stealing.idle_cycles - idle_before_;
  uint64_t look = looked_at_ != 0 ? acquired_at_ - looked_at_ : 0,
           ends = worker->stealing.end_cycles - end_cycles_before_;
  uint64_t tasks = worker->tasks.released - released_before_ + 1;
  uint64_t work = took > idle + ends ? (took - idle - ends) / tasks : 0;
  bool far = from_elsewhere_ != 0 && member->team->tells_chips_apart;
  uint64_t cost =
      ends == 0 ? look : cost_with_ends(look, ends, tasks, far ? member->team->size() : sharers(member), far);
  if (far) {
    uint64_t given = worker->observe.counters.published.value() - published_before_;
    member->team->far.measured(work, cost, std::min(from_elsewhere_ + given, policy::kThrottle));
  } else if (measures(worker, member)) {
    member->worth->measured(work, cost, tasks, asked_);
  }
  acquired_at_ = 0;
  --worker->stealing.timed_acquisitions;
}

void StealTimer::end_part_if_long(Worker* worker, const Member* member) {
  if (worker->tasks.released - released_before_ < kMostInPart) return;
  end(worker, member);
  looked_at_ = cycle_counter(); // the rest needs no look
  worker->stealing.from_elsewhere = 0;
  acquired(worker);
}

} // namespace chomp
