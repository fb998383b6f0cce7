// What holds for the settings whatever the environment says: the rest of the runtime relies on it. Shared by the unit
// tests and by the fuzzer of settings.
#pragma once

#include <cstring>

#include "runtime/config/config.h"

namespace chomp {

/// Null, or what does not hold.
inline const char* settings_out_of_bounds(const Config& c) {
#define HOLDS(condition)                                                                                               \
  if (!(condition)) return #condition
  HOLDS(c.num_threads_count >= 0 && c.num_threads_count <= kMaxNestingInLists);
  for (int i = 0; i < c.num_threads_count; i++) HOLDS(c.num_threads[i] >= 1);
  HOLDS(c.proc_bind_count >= 0 && c.proc_bind_count <= kMaxNestingInLists);
  for (int i = 0; i < c.proc_bind_count; i++) HOLDS(c.proc_bind[i] <= ProcBind::kByThread);
  HOLDS((c.schedule.kind & 0x7fffffff) >= 1 && (c.schedule.kind & 0x7fffffff) <= 4);
  HOLDS(c.schedule.chunk >= 0);
  HOLDS(c.stack_size == 0 || c.stack_size >= 64 * 1024);
  HOLDS(c.stack_size <= size_t{1} << 46);
  HOLDS(c.max_active_levels >= 0);
  HOLDS(c.thread_limit >= 1);
  HOLDS(c.max_task_priority >= 0);
  HOLDS(c.default_device >= 0);
  HOLDS(c.num_teams >= 0 && c.teams_thread_limit >= 0 && c.kmp_teams_thread_limit >= 0);
  HOLDS(c.target_offload <= TargetOffload::kMandatory);
  const EnvironmentAllocator& own = c.environment_allocator; // where c.allocator is 0
  HOLDS(c.allocator <= 8 && (own.alignment & (own.alignment - 1)) == 0);
  HOLDS(own.fallback == 0 || (own.fallback >= EnvironmentAllocator::kFirstFallback &&
                              own.fallback <= EnvironmentAllocator::kAllocatorFallback));
  HOLDS(c.blocktime_us >= 0);
  HOLDS(c.library <= Library::kThroughput);
  HOLDS(c.taskloop_min_tasks >= 0);
  HOLDS(c.tasking >= 0 && c.tasking <= 2);
  HOLDS(c.use_yield >= 0 && c.use_yield <= 2);
  HOLDS(c.force_reduction <= Reduction::kTree);
  HOLDS(c.dynamic_mode <= DynamicMode::kRandom);
  HOLDS(c.domain <= DomainLevel::kMachine);
  HOLDS(c.hot_teams_max_level >= 0 && c.hot_teams_mode >= 0 && c.hot_teams_mode <= 1);
  HOLDS(c.nesting_mode >= 0);
  HOLDS(c.thread_budget >= 0);
  HOLDS(c.watchdog_seconds >= 0 && c.watchdog_seconds <= 1'000'000);
  HOLDS(c.watchdog_signal <= WatchdogSignal::kUser2);
  HOLDS(memchr(c.affinity_format, 0, sizeof c.affinity_format) != nullptr);
  HOLDS(memchr(c.scheduler, 0, sizeof c.scheduler) != nullptr && c.scheduler[0] != 0);
#undef HOLDS
  return nullptr;
}

} // namespace chomp
