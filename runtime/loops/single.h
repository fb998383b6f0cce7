// single constructs and copyprivate.
#pragma once

#include "runtime/core/team.h"
#include "runtime/core/worker.h"
#include "runtime/loops/claim.h"

namespace chomp {

/// single (OpenMP 5.2, 11.1): whether this member executes the region.
inline bool single_begin(Worker* worker) {
  Member* member = worker->member;
  Team* team = member->team;
  if (team->serial()) return true;
  uint32_t own = member->worksharing.singles_seen++;
  atomic<uint32_t>& taken = team->worksharing.singles_taken;
  about_to_claim(&taken, taken.load(std::memory_order_relaxed) == own); // relaxed: as below
  // relaxed: it only chooses the member; what the region writes is ordered by the barrier that follows. Only a member
  // that has seen n singles moves the counter from n. So each is taken once, unless a member lags by 2^32 of them.
  if (taken.load(std::memory_order_relaxed) != own) return false;
  return taken.compare_exchange_strong(own, own + 1, std::memory_order_relaxed);
}

/// copyprivate: `copy(mine, theirs)` on every member but the one that executed the region.
void copyprivate_broadcast(Worker* worker, void* data, void (*copy)(void*, void*), bool executed);
/// Returns the pointer that the member which executed the region passes; the others pass null. A barrier must follow
/// the last use.
void* copyprivate_exchange(Worker* worker, void* data);

} // namespace chomp
