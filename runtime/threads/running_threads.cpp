// The threads of all regions that run. See running_threads.h.
#include "runtime/threads/running_threads.h"

#include "runtime/base/cacheline.h"
#include "runtime/core/worker.h"
#include "runtime/threads/thread_pool.h"

namespace chomp {

alignas(kCacheLine) constinit atomic<int32_t> running_threads{0};

void running_begin(Team* team, const Team* outer, int threads) {
  if (workers_alive() <= topology.running_cpus) return;
  int32_t share = threads - (outer->active_level > 0 ? 1 : 0);
  // relaxed, both: a count; a member that sees it before the share sleeps once too often.
  team->running_share.store(share, std::memory_order_relaxed);
  running_threads.fetch_add(share, std::memory_order_relaxed);
}

void running_end(Team* team) {
  int32_t share = team->running_share.load(std::memory_order_relaxed); // relaxed: our own
  if (share == 0) return;
  running_threads.fetch_sub(share, std::memory_order_relaxed); // relaxed: released by the next line
  // release: pairs with the acquire in others_want_cpus().
  team->running_share.store(0, std::memory_order_release);
}

void running_reset_after_fork(const Team* team) {
  int32_t own = 0;
  // relaxed, all: one thread exists.
  for (; team != nullptr; team = team->parent_member != nullptr ? team->parent_member->team : nullptr)
    own += team->running_share.load(std::memory_order_relaxed);
  running_threads.store(own, std::memory_order_relaxed);
}

} // namespace chomp
