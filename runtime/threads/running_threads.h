// How many threads all regions that run have, whoever began them. Several threads of the program may fork teams, each
// as large as the machine. A member that waits must then not keep a CPU that another team could use, or the very thread
// that it waits for. A lone caller is not counted, and its members read one word that nobody writes.
//
//   running_threads = sum over the regions that run of their shares; a region's share is its size, without the thread
//                     that the region around it has counted already
//
// A region is counted only if the process had more threads than CPUs when it began: with fewer nobody takes a CPU from
// anybody. Counting costs two atomic additions a region.
#pragma once

#include <cstdint>

#include "runtime/base/atomic.h"
#include "runtime/core/team.h"
#include "runtime/machine/topology.h"
#include "runtime/sync/waiting.h"

namespace chomp {

extern atomic<int32_t> running_threads;

/// Called by the primary when it begins and ends a region of that many kernel threads, but not of one.
void running_begin(Team* team, const Team* outer, int threads);
void running_end(Team* team);

/// Called in the child of fork(), whose thread executes regions of `team` and those around it: only their shares are
/// left.
void running_reset_after_fork(const Team* team);

/// Whether teams of other callers want the CPU of a member that waits. `in_region`: its region has not ended, so the
/// threads of its own team are among those that run. Otherwise this thread is one more. An estimate.
inline bool others_want_cpus(const Team* team, bool in_region) {
  // acquire: pairs with the release in running_end(): whoever sees the share taken back sees the count without it.
  int32_t own = team->running_share.load(std::memory_order_acquire);
  int32_t running = running_threads.load(std::memory_order_relaxed); // relaxed: a count
  if (__builtin_expect(running == 0, 1)) return false;
  if (in_region) return running > topology.running_cpus && running > team->total_threads();
  return running - own >= topology.running_cpus;
}

/// Whether others want the CPU of a member of `team` that waits.
inline CpuDemand cpu_demand(const Team* team, bool in_region) {
  if (!team->may_spin() || others_want_cpus(team, in_region)) return CpuDemand::kCertain;
  return team->yields_soon() ? CpuDemand::kLikely : CpuDemand::kUnknown;
}

} // namespace chomp
