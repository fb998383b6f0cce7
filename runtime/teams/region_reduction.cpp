// See region_reduction.h. Three ways:
//   serial teams: with plain accesses
//   small teams: atomically if the compiler has a variant for it, else one after the other under the construct's lock
//   larger teams: along the tree of arrivals (teams/arrival.h), always in the same order; if a barrier ends the
//     construct, on the way into it
#include "runtime/teams/region_reduction.h"

#include "runtime/config/config.h"
#include "runtime/core/program_call.h"
#include "runtime/core/team.h"
#include "runtime/core/worker.h"
#include "runtime/wait/work_loop.h"
#include "runtime/tasks/cancel.h"
#include "runtime/teams/barrier.h"

namespace chomp {

namespace {

enum Method : uint8_t { kPlain, kAtomically, kLocked, kTogether, kInBarrier };

// From this size of a team on, the tree has more than one node, and beats visits of all to one cache line.
constexpr int kTreeFrom = kMostArrivals + 1;

Method choose(const Team* team, const ReductionOffer& offer) {
  if (team->serial()) return kPlain;
  // A member that leaves a cancelled construct offers nothing, so nobody may wait for it.
  bool tree = offer.function != nullptr && offer.data != nullptr && !config.cancellation;
  // Observers are told of a barrier that begins after the reduction.
  Method along_tree = offer.nowait || team->observed() ? kTogether : kInBarrier;
  switch (config.force_reduction) {
  case Reduction::kAtomic:
    if (offer.atomic) return kAtomically;
    return kLocked;
  case Reduction::kTree:
    if (tree) return along_tree;
    return kLocked;
  case Reduction::kCritical: return kLocked;
  case Reduction::kAutomatic: break;
  }
  if (tree && team->size() >= kTreeFrom) return along_tree;
  return offer.atomic ? kAtomically : kLocked;
}

/// Returns when others need this member's partial results no more. True on the primary, when it has combined
/// everything.
bool combine_together(Worker* worker, const ReductionOffer& offer) {
  Member* member = worker->member;
  Team* team = member->team;
  atomic<uint32_t>& reductions = team->arrivals.reduced[node_that_combines(team, member)].reductions;
  uint32_t before = reductions.load(std::memory_order_relaxed); // relaxed: it changes after this member has arrived
  arrive_with(team, team->arrivals.reduced, member, offer.data, offer.function);
  wait_briefly_until(worker, &reductions, before + 1, MayBegin::kNoTasks);
  return member->tid == 0;
}

int32_t combine(Worker* worker, const ReductionOffer& offer) {
  Method method = choose(worker->member->team, offer);
  worker->member->worksharing.reduction_method = method;
  switch (method) {
  case kPlain: return 1;
  case kAtomically: return 2;
  case kLocked: offer.lock->lock(); return 1;
  case kTogether:
    if (combine_together(worker, offer)) return 1;
    if (!offer.nowait) counted_barrier(worker); // the compiled code calls no end after the answer 0
    return 0;
  case kInBarrier: return barrier_combine(worker, offer.data, offer.function) ? 1 : 0;
  }
  return 0;
}

} // namespace

int32_t reduction_begin(Worker* worker, const ReductionOffer& offer, const void* site) {
  if (!announcing()) return combine(worker, offer);
  event_reduction(worker, true, site);
  int32_t way = combine(worker, offer);
  constexpr int32_t kByProgram = 1; // the compiled code calls end; after 2 only for some constructs
  if (way != kByProgram) event_reduction(worker, false, site);
  return way;
}

void reduction_end(Worker* worker, ProgramLock* lock, bool nowait, const void* site) {
  uint8_t method = worker->member->worksharing.reduction_method;
  if (announcing() && method != kAtomically) event_reduction(worker, false, site);
  if (method == kInBarrier) return barrier_combined(worker);
  if (method == kLocked) lock->unlock();
  if (!nowait) counted_barrier(worker);
}

} // namespace chomp
