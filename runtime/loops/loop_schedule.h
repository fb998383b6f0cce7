// What a loop's schedule is (OpenMP 5.2, 11.5.3). Called by abi/kmpc_loop.cpp and abi/gomp_loop.cpp before
// loop_begin().
#pragma once

#include <cstdint>

#include "runtime/loops/worksharing_state.h"
#include "runtime/observe/tool_state.h"

namespace chomp {

struct Worker;

/// Decodes the ABI's schedule (sched_type, with modifiers) and chunk for the current task: `runtime` reads
/// run-sched-var.
LoopSchedule loop_schedule_decode(const Worker* worker, int32_t code, int64_t chunk);

/// What a schedule clause says, for the current task. The values are GCC's.
enum class ScheduleClause : int {
  kRuntime = 0,
  kStatic = 1,
  kDynamic = 2,
  kGuided = 3,
  kRuntimeNonmonotonic = 4,
};

/// The schedule that a clause asks for; `chunk` 0: none given.
LoopSchedule loop_schedule_of(const Worker* worker, ScheduleClause clause, uint64_t chunk, bool ordered);

/// The kind of a loop with this schedule, for observers.
inline WorkKind work_kind_of(const LoopSchedule& schedule) {
  switch (schedule.kind) {
  case LoopKind::kStatic:
  case LoopKind::kStaticChunked: return WorkKind::kLoopStatic;
  case LoopKind::kGuided: return WorkKind::kLoopGuided;
  default: return WorkKind::kLoopDynamic;
  }
}

} // namespace chomp
