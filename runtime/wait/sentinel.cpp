// See sentinel.h.
#include "runtime/wait/sentinel.h"

#include <bit>

#include "runtime/base/os_linux.h"
#include "runtime/base/preemption.h"
#include "runtime/core/team.h"
#include "runtime/core/worker.h"

namespace chomp {

// False: the worker is awake, or about to be.
static bool ask_to_look_out(Worker* worker) {
  uint32_t state = kParked;
  // acq_rel: pairs with the exchange at the end of Idler::park(): a worker that wakes for another reason sees that its
  // domain has no sentinel. relaxed on failure: ordered by the fence in sentinel_leave().
  if (worker->wait.parked.compare_exchange_strong(state, kAskedToBeSentinel, std::memory_order_acq_rel,
                                                  std::memory_order_relaxed)) {
    futex_wake(&worker->wait.parked, 1);
    return true;
  }
  return state == kAskedToBeSentinel; // another member has asked: the worker has not looked yet
}

bool sentinel_take(Member* member) {
  atomic<uint32_t>& sentinel = member->team->domain_lines[member->domain].sentinel;
  uint32_t nobody = 0;
  // relaxed, all: the caller's fence orders the look; nothing is handed over with the role.
  return sentinel.load(std::memory_order_relaxed) == 0 &&
         sentinel.compare_exchange_strong(nobody, static_cast<uint32_t>(member->tid) + 1, std::memory_order_relaxed,
                                          std::memory_order_relaxed);
}

bool sentinel_may_be_asked(Worker* worker, uint32_t state, uint32_t fully) {
  // relaxed: ordered by the heavy fence. acquire on failure: pairs with the waker's exchange.
  return worker->wait.parked.compare_exchange_strong(state, fully, std::memory_order_relaxed,
                                                     std::memory_order_acquire);
}

bool sentinel_still_parked(Member* member) {
  atomic<uint32_t>& parked = member->worker->wait.parked;
  uint32_t state = parked.load(std::memory_order_acquire); // acquire: pairs with the waker's exchange
  if (state != kAskedToBeSentinel) return state != kAwake;
  // acquire: pairs with acq_rel in ask_to_look_out(), or, on failure, with the waker's exchange.
  if (!parked.compare_exchange_strong(state, kParked, std::memory_order_acquire, std::memory_order_acquire))
    return false;
  // pairs with light_fence() in sentinel_leave(): we see that nobody looks out, or the leaver sees that we may be asked
  heavy_fence();
  return true;
}

void sentinel_leave(Member* member, bool was_sentinel) {
  Team* team = member->team;
  DomainLine& line = team->domain_lines[member->domain];
  // relaxed, both: ordered by the fence; a member that was asked and woke for another reason has acquired the store.
  if (was_sentinel)
    line.sentinel.store(0, std::memory_order_relaxed);
  else if (line.sentinel.load(std::memory_order_relaxed) != 0)
    return;
  if (!team->may_spin()) preemption_point();
  // pairs with Idler::fence_before_sleep(): either the sleeper sees that nobody looks out or we see the sleeper
  light_fence();
  for (int32_t word = line.first_member / 64; word <= line.last_member / 64; ++word) {
    // relaxed: ordered by the fence.
    for (uint64_t bits = team->sleepers[word].load(std::memory_order_relaxed); bits != 0; bits &= bits - 1) {
      int32_t tid = word * 64 + std::countr_zero(bits);
      if (team->shape.domain_of_member[tid] == member->domain && ask_to_look_out(team->members[tid].worker)) return;
    }
  }
}

} // namespace chomp
