// What a loop's schedule is (OpenMP 5.2, 11.5.3). Asked before loop_begin().
#pragma once

#include <cstdint>

#include "runtime/loops/worksharing_state.h"
#include "runtime/observe/tool_state.h"

namespace chomp {

struct Worker;

/// The compiler's sched_type (kmpc ABI).
enum ScheduleCode : int32_t {
  kCodeStaticChunked = 33,
  kCodeStatic = 34,
  kCodeDynamic = 35,
  kCodeGuided = 36,
  kCodeRuntime = 37,
  kCodeAuto = 38,
  kCodeTrapezoidal = 39,
  kCodeStaticGreedy = 40,
  kCodeStaticBalanced = 41,
  kCodeGuidedIterative = 42,
  kCodeGuidedAnalytical = 43,
  kCodeStaticSteal = 44,
  kCodeStaticBalancedChunked = 45,
  kCodeGuidedSimd = 46,
  kCodeRuntimeSimd = 47,
  kCodeOrderedOffset = 32, // ordered variants are 65 … 71
  kCodeOrderedFirst = 64,
  kCodeOrderedEnd = 72,
  kCodeDistributeStaticChunked = 91,
  kCodeDistributeStatic = 92,
  kCodeOneByOneFirst = 160, // a serial team gets chunk by chunk, too
  kCodeOneByOneOffset = 128,
  kCodeMonotonic = 1 << 29,
  kCodeNonmonotonic = 1 << 30,
  kCodeModifiers = kCodeMonotonic | kCodeNonmonotonic,
};

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
