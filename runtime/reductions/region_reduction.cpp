// See region_reduction.h. Three ways:
//   serial teams: with plain accesses
//   small teams: atomically if the compiler has a variant for it, else one after the other under the construct's lock
//   larger teams: along a binary tree, always in the same order; a member waits by running tasks (wait_until_zero)
#include "runtime/reductions/region_reduction.h"

#include "runtime/config/config.h"
#include "runtime/core/team.h"
#include "runtime/threads/wake.h"
#include "runtime/core/worker.h"
#include "runtime/wait/work_loop.h"
#include "runtime/tasks/cancel.h"

namespace chomp {

namespace {

enum Method : uint8_t { kPlain, kAtomically = kReducedAtomically, kLocked, kAlongTree };

// From this size of a team on, the tree's log(n) hand-overs beat n visits to one cache line.
constexpr int kTreeFrom = 5;

Method choose(const Team* team, const ReductionOffer& offer) {
  if (team->serial()) return kPlain;
  // A member that leaves a cancelled construct offers nothing, so nobody may wait for it.
  bool tree = offer.function != nullptr && offer.data != nullptr && !config.cancellation;
  switch (config.force_reduction) {
  case Reduction::kAtomic:
    if (offer.atomic) return kAtomically;
    return kLocked;
  case Reduction::kTree:
    if (tree) return kAlongTree;
    return kLocked;
  case Reduction::kCritical: return kLocked;
  case Reduction::kAutomatic: break;
  }
  if (tree && team->size() >= kTreeFrom) return kAlongTree;
  return offer.atomic ? kAtomically : kLocked;
}

// One hand-over. The giver's `reduction_state` says which side came first: both change it by a read-modify-write.
constexpr uint32_t kIdle = 0, kOffered = 1, kAwaited = 2;

void give(Worker* worker, Member* taker, void* data) {
  MemberWorksharing& own = worker->member->worksharing;
  own.reduction_offer = data;
  own.reduction_pending.store(1, std::memory_order_relaxed); // relaxed: published by the exchange
  // acq_rel: release pairs with acquire in take_from() and publishes the data; acquire: the taker has set
  // reduction_await.
  if (own.reduction_state.exchange(kOffered, std::memory_order_acq_rel) == kAwaited) {
    taker->worksharing.reduction_await.store(0, std::memory_order_release); // release: pairs with acquire in its wait
    worker_wake(taker->worker);
  }
  wait_until_zero(worker, &own.reduction_pending);
}

void take_from(Worker* worker, Member* giver, ReduceFunction function, void* data) {
  MemberWorksharing& own = worker->member->worksharing;
  MemberWorksharing& theirs = giver->worksharing;
  own.reduction_await.store(1, std::memory_order_relaxed); // relaxed: published by the exchange below
  uint32_t state = kIdle;
  // acq_rel: release pairs with acquire in give(); acquire, also on failure: pairs with its release, the data is there.
  if (theirs.reduction_state.compare_exchange_strong(state, kAwaited, std::memory_order_acq_rel,
                                                     std::memory_order_acquire))
    wait_until_zero(worker, &own.reduction_await);
  function(data, theirs.reduction_offer);
  theirs.reduction_state.store(kIdle, std::memory_order_relaxed); // relaxed: published by the next store
  theirs.reduction_pending.store(0, std::memory_order_release);   // release: pairs with acquire in the giver's wait
  worker_wake(giver->worker);
}

/// True on the member that has combined everything.
bool combine_along_tree(Worker* worker, const ReductionOffer& offer) {
  Member* member = worker->member;
  Team* team = member->team;
  for (int step = 1; step < team->size(); step *= 2) {
    if (member->tid & step) {
      give(worker, &team->members[member->tid - step], offer.data);
      return false;
    }
    if (member->tid + step < team->size())
      take_from(worker, &team->members[member->tid + step], offer.function, offer.data);
  }
  return true;
}

} // namespace

int32_t reduction_begin(Worker* worker, const ReductionOffer& offer) {
  Method method = choose(worker->member->team, offer);
  worker->member->worksharing.reduction_method = method;
  switch (method) {
  case kPlain: return 1;
  case kAtomically: return 2;
  case kLocked: offer.lock->lock(); return 1;
  case kAlongTree:
    if (combine_along_tree(worker, offer)) return 1;
    if (!offer.nowait) counted_barrier(worker); // the compiled code calls no end after the answer 0
    return 0;
  }
  return 0;
}

void reduction_end(Worker* worker, ProgramLock* lock, bool nowait) {
  if (worker->member->worksharing.reduction_method == kLocked) lock->unlock();
  if (!nowait) counted_barrier(worker);
}

} // namespace chomp
