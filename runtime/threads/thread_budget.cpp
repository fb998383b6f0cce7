// The threads that running teams have. See thread_budget.h.
#include "runtime/threads/thread_budget.h"

#include "runtime/base/atomic.h"
#include "runtime/base/cacheline.h"
#include "runtime/base/policy.h"
#include "runtime/config/config.h"
#include "runtime/core/team.h"
#include "runtime/core/worker.h"
#include "runtime/machine/topology.h"
#include "runtime/threads/binding.h"

namespace chomp {
namespace {

alignas(kCacheLine) constinit atomic<int32_t> taken{0}; // relaxed, always: a count; nothing is passed on with it

// The CPUs that the process may use, and when somebody counted them; 0: as at the start, not yet. relaxed, always:
// nothing else is passed on.
alignas(kCacheLine) constinit atomic<int32_t> cpus_now{0};
constinit atomic<uint64_t> counted_at{0};

/// The masks of the calling thread and of those that serve its hot team. Programs that bind each thread by themselves
/// bind one to each CPU, so only all masks together say what changes from outside have left to the process. False: they
/// say nothing, since the runtime binds threads, or a mask is not known.
bool read_masks(const Worker* worker, CpuMask* masks) {
  const Team* team = worker->member->hot_child;
  if (binding_on || team == nullptr || !read_affinity(masks)) return false;
  for (int tid = 1; tid < team->capacity; ++tid) {
    CpuMask each;
    int thread = team->members[tid].worker->wait.shown.thread_id.load(std::memory_order_relaxed); // relaxed: a number
    if (thread == 0 || !read_affinity(&each, thread)) return false;
    for (size_t word = 0; word < sizeof each.words / sizeof *each.words; ++word) masks->words[word] |= each.words[word];
  }
  return true;
}

constinit atomic<int32_t> counted_last{0};

// A thread may be without a CPU for a moment, because it leaves its waker's (leave_cpu()). So a count becomes valid
// when it is found a second time.
CHOMP_SLOW void count_again(const Worker* worker) {
  CpuMask masks;
  int32_t count = topology_count_again(read_masks(worker, &masks) ? &masks : nullptr);
  if (counted_last.exchange(count, std::memory_order_relaxed) != count) return; // relaxed: as all here
  topology_use_cpus(count);
  cpus_now.store(count, std::memory_order_relaxed);
}

/// Whether the thread that forks inside a region of `team` has been counted with it or with a region around it. Regions
/// that ask for one thread count nothing.
bool caller_is_counted(const Team* team) {
  for (; team->level > 0; team = team->parent_member->team)
    if (team->budget_share != 0 || !team->serial()) return true;
  return false;
}

} // namespace

int budget_threads() {
  if (config.thread_budget > 0) return config.thread_budget;
  int32_t now = cpus_now.load(std::memory_order_relaxed);
  return now > 0 ? now : topology.usable_cpus;
}

void budget_look_again(Worker* worker, uint64_t now) {
  uint64_t before = counted_at.load(std::memory_order_relaxed);
  if (CHOMP_LIKELY(now - before < policy::kCountAgainCycles)) return;
  if (!counted_at.compare_exchange_strong(before, now, std::memory_order_relaxed) || before == 0) return;
  if (config.thread_budget == 0) count_again(worker);
}

int budget_take(const Team* outer, int size, int32_t* share) {
  int32_t caller = caller_is_counted(outer) ? 0 : 1;
  int32_t before = taken.load(std::memory_order_relaxed);
  int32_t budget = budget_threads(), more;
  do {
    more = budget - before - caller;
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
