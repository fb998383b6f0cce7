// The threads that running teams have. See thread_budget.h.
#include "runtime/threads/thread_budget.h"

#include "runtime/base/atomic.h"
#include "runtime/base/cacheline.h"
#include "runtime/config/config.h"
#include "runtime/core/team.h"
#include "runtime/machine/topology.h"

namespace chomp {
namespace {

alignas(kCacheLine) constinit atomic<int32_t> taken{0}; // relaxed, always: a count; nothing is passed on with it

int32_t budget() { return config.thread_budget > 0 ? config.thread_budget : topology.usable_cpus; }

/// Whether the thread that forks inside a region of `team` has been counted with it or with a region around it. Regions
/// that ask for one thread count nothing.
bool caller_is_counted(const Team* team) {
  for (; team->level > 0; team = team->parent_member->team)
    if (team->budget_share != 0 || !team->serial()) return true;
  return false;
}

} // namespace

int budget_take(const Team* outer, int size, int32_t* share) {
  int32_t caller = caller_is_counted(outer) ? 0 : 1;
  int32_t before = taken.load(std::memory_order_relaxed);
  int32_t more;
  do {
    more = budget() - before - caller;
    if (more > size - 1) more = size - 1;
    if (more < 0) more = 0;
    *share = caller + more;
  } while (*share > 0 &&
           !taken.compare_exchange_weak(before, before + *share, std::memory_order_relaxed, std::memory_order_relaxed));
  return more + 1;
}

void budget_give_back(int32_t share) {
  if (share > 0) taken.fetch_sub(share, std::memory_order_relaxed);
}

void budget_reset_after_fork(const Team* team) {
  int32_t own = 0;
  for (; team != nullptr; team = team->parent_member != nullptr ? team->parent_member->team : nullptr)
    own += team->budget_share;
  taken.store(own, std::memory_order_relaxed);
}

} // namespace chomp
