// Decodes the compilers' codes and clauses, and run-sched-var (OpenMP 5.2, 11.5.3). See loop_schedule.h.
//
// Chunks come in order where the program asks for it (monotonic, ordered), and where iterations wait for earlier ones
// (doacross). They also come in order unless the compiler says that they need not: a compiler for OpenMP 4.5 means
// monotonic when it says nothing. auto, and the schedules that only a setting or Intel's compiler knows, promise no
// order. guided is always in order: the specification defines the sizes of its chunks, each a part of what is
// unassigned at that moment.
#include "runtime/loops/loop_schedule.h"

#include "runtime/core/icv.h"
#include "runtime/core/team.h"
#include "runtime/core/worker.h"

namespace chomp {

namespace {

// The compiler's sched_type (kmpc ABI).
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
  kOrderedOffset = 32, // ordered variants are 65 … 71
  kOrderedFirst = 64,
  kOrderedEnd = 72,
  kDistributeStaticChunked = 91,
  kDistributeStatic = 92,
  kOneByOneFirst = 160, // a serial team gets chunk by chunk, too
  kOneByOneOffset = 128,
  kMonotonic = 1 << 29,
  kNonmonotonic = 1 << 30,
};

// omp_sched_t (run-sched-var).
enum RunSchedule : uint32_t { kRunDynamic = 2, kRunGuided = 3, kRunAuto = 4, kRunTrapezoidal = 101 };

uint64_t at_least_one(int64_t chunk) { return chunk < 1 ? 1 : static_cast<uint64_t>(chunk); }

/// Compilers whose default is nonmonotonic say nonmonotonic of doacross loops too.
bool in_doacross(const Worker* worker) { return worker->member->worksharing.doacross.block.slot != nullptr; }

/// A serial team executes a loop in one go, whatever the schedule.
constexpr LoopSchedule kInOneGo{.kind = LoopKind::kStatic};

/// schedule(runtime): what run-sched-var says. `simd` is the width that chunks have to be multiples of.
LoopSchedule from_icv(const Worker* worker, uint64_t simd, bool any_order) {
  const Schedule& icv = icvs(worker).schedule;
  any_order = any_order && (icv.kind & Schedule::kMonotonic) == 0;
  LoopSchedule schedule;
  schedule.always_shared = true;
  schedule.multiple = simd;
  schedule.chunk = at_least_one(icv.chunk) * simd;
  switch (icv.kind & ~Schedule::kMonotonic) {
  case kRunDynamic: schedule.kind = any_order ? LoopKind::kAnyOrder : LoopKind::kDynamic; break;
  case kRunGuided:
  case kRunAuto:
  case kRunTrapezoidal:
    schedule.kind =
        any_order && (icv.kind & ~Schedule::kMonotonic) != kRunGuided ? LoopKind::kAnyOrder : LoopKind::kGuided;
    if (simd > 1)
      schedule.multiple = schedule.chunk; // guided chunks are multiples of the one given, as kCodeGuidedSimd
    break;
  default: schedule.kind = icv.chunk > 0 ? LoopKind::kStaticChunked : LoopKind::kStatic; break;
  }
  return schedule;
}

} // namespace

LoopSchedule loop_schedule_decode(const Worker* worker, int32_t code, int64_t chunk) {
  bool monotonic = (code & kMonotonic) != 0, nonmonotonic = (code & kNonmonotonic) != 0;
  code &= ~(kMonotonic | kNonmonotonic);
  bool one_by_one = code >= kOneByOneFirst;
  if (worker->member->team->serial() && !one_by_one) return kInOneGo; // one_by_one: the caller wants single chunks
  if (one_by_one) code -= kOneByOneOffset;
  bool ordered = code >= kOrderedFirst && code < kOrderedEnd;
  if (ordered) code -= kOrderedOffset;
  bool in_order = monotonic || ordered || one_by_one || in_doacross(worker);
  bool any_order = nonmonotonic && !in_order;
  LoopSchedule schedule;
  schedule.chunk = at_least_one(chunk);
  switch (code) {
  case kCodeStaticChunked:
  case kDistributeStaticChunked: schedule.kind = LoopKind::kStaticChunked; break;
  case kCodeStaticBalancedChunked: schedule.multiple = schedule.chunk; break;
  case kCodeDynamic: schedule.kind = any_order ? LoopKind::kAnyOrder : LoopKind::kDynamic; break;
  case kCodeStaticSteal: schedule.kind = in_order ? LoopKind::kDynamic : LoopKind::kAnyOrder; break;
  case kCodeGuided:
  case kCodeGuidedIterative:
  case kCodeGuidedAnalytical: schedule.kind = LoopKind::kGuided; break;
  case kCodeAuto:
  case kCodeTrapezoidal: schedule.kind = in_order ? LoopKind::kGuided : LoopKind::kAnyOrder; break;
  case kCodeGuidedSimd:
    schedule.kind = LoopKind::kGuided;
    schedule.multiple = schedule.chunk;
    break;
  case kCodeRuntime: schedule = from_icv(worker, 1, any_order); break;
  case kCodeRuntimeSimd: schedule = from_icv(worker, schedule.chunk, any_order); break;
  default: break; // kCodeStatic and its variants
  }
  schedule.ordered = ordered;
  return schedule;
}

LoopSchedule loop_schedule_of(const Worker* worker, ScheduleClause clause, uint64_t chunk, bool ordered) {
  if (worker->member->team->serial()) return kInOneGo;
  bool any_order = !ordered && !in_doacross(worker);
  LoopSchedule schedule;
  schedule.chunk = chunk > 0 ? chunk : 1;
  switch (clause) {
  case ScheduleClause::kStatic: schedule.kind = chunk > 0 ? LoopKind::kStaticChunked : LoopKind::kStatic; break;
  case ScheduleClause::kDynamic: schedule.kind = LoopKind::kDynamic; break;
  case ScheduleClause::kGuided:
  case ScheduleClause::kGuidedNonmonotonic: schedule.kind = LoopKind::kGuided; break;
  case ScheduleClause::kDynamicNonmonotonic:
    schedule.kind = any_order ? LoopKind::kAnyOrder : LoopKind::kDynamic;
    break;
  case ScheduleClause::kRuntime: schedule = from_icv(worker, 1, false); break;
  case ScheduleClause::kRuntimeNonmonotonic: schedule = from_icv(worker, 1, any_order); break;
  }
  schedule.ordered = ordered;
  return schedule;
}

} // namespace chomp
