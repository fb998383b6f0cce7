// Decodes the compilers' codes and clauses, and run-sched-var (OpenMP 5.2, 11.5.3). See loop_schedule.h.
//
// A thread's chunks come in order (monotonic), as all compilers' own runtimes have it and programs rely on; unless a
// program of LLVM's ABI says nonmonotonic, which Clang says of schedule(dynamic), or auto. They come one by one where
// threads wait for their turns (ordered), or for posts of earlier iterations (doacross). guided follows the
// specification, which defines the sizes of its chunks, each a part of what is unassigned at that moment.
#include "runtime/loops/loop_schedule.h"

#include "runtime/config/config.h"
#include "runtime/core/icv.h"
#include "runtime/core/team.h"
#include "runtime/core/worker.h"

namespace chomp {

namespace {

// omp_sched_t (run-sched-var).
enum RunSchedule : uint32_t { kRunDynamic = 2, kRunGuided = 3, kRunAuto = 4, kRunTrapezoidal = 101 };

uint64_t at_least_one(int64_t chunk) { return chunk < 1 ? 1 : static_cast<uint64_t>(chunk); }

/// Compilers whose default is nonmonotonic say nonmonotonic of doacross loops too.
bool in_doacross(const Worker* worker) { return worker->member->worksharing.doacross.block.slot != nullptr; }

/// A serial team executes a loop in one go, whatever the schedule.
constexpr LoopSchedule kInOneGo{.kind = LoopKind::kStatic};

LoopSchedule dynamic(bool one_by_one, bool any_order, uint64_t chunk) {
  return {.kind = one_by_one ? LoopKind::kOneByOne : LoopKind::kDynamic,
          .any_order = any_order && !config.monotonic_loops,
          .chunk = chunk};
}

/// schedule(runtime): what run-sched-var says. `simd` is the width that chunks have to be multiples of.
LoopSchedule from_icv(const Schedule& icv, uint64_t simd, bool one_by_one) {
  LoopSchedule schedule;
  uint64_t chunk = at_least_one(icv.chunk) * simd;
  switch (icv.kind & ~Schedule::kMonotonic) {
  case kRunDynamic: schedule = dynamic(one_by_one, false, chunk); break;
  case kRunAuto:
  case kRunTrapezoidal:
  case kRunGuided:
    schedule.kind =
        one_by_one || (icv.kind & ~Schedule::kMonotonic) == kRunGuided ? LoopKind::kGuided : LoopKind::kDynamic;
    if (simd > 1) schedule.multiple = chunk; // guided chunks are multiples of the one given, as kCodeGuidedSimd
    break;
  default: schedule.kind = icv.chunk > 0 ? LoopKind::kStaticChunked : LoopKind::kStatic; break;
  }
  schedule.always_shared = true;
  if (schedule.multiple == 1) schedule.multiple = simd;
  schedule.chunk = chunk;
  return schedule;
}

} // namespace

LoopSchedule loop_schedule_decode(const Worker* worker, int32_t code, int64_t chunk) {
  bool monotonic = (code & kCodeMonotonic) != 0, nonmonotonic = (code & kCodeNonmonotonic) != 0;
  code &= ~(kCodeMonotonic | kCodeNonmonotonic);
  bool single_chunks = code >= kCodeOneByOneFirst;
  if (worker->member->team->serial() && !single_chunks) return kInOneGo;
  if (single_chunks) code -= kCodeOneByOneOffset;
  bool ordered = code >= kCodeOrderedFirst && code < kCodeOrderedEnd;
  if (ordered) code -= kCodeOrderedOffset;
  bool one_by_one = ordered || single_chunks || in_doacross(worker);
  LoopSchedule schedule;
  schedule.chunk = at_least_one(chunk);
  switch (code) {
  case kCodeStaticChunked:
  case kCodeDistributeStaticChunked: schedule.kind = LoopKind::kStaticChunked; break;
  case kCodeStaticBalancedChunked: schedule.multiple = schedule.chunk; break;
  case kCodeDynamic: schedule = dynamic(one_by_one, nonmonotonic, schedule.chunk); break;
  case kCodeStaticSteal: schedule = dynamic(one_by_one, !monotonic, schedule.chunk); break;
  case kCodeGuided:
  case kCodeGuidedIterative:
  case kCodeGuidedAnalytical: schedule.kind = LoopKind::kGuided; break;
  case kCodeAuto:
  case kCodeTrapezoidal:
    if (one_by_one)
      schedule.kind = LoopKind::kGuided;
    else
      schedule = dynamic(false, !monotonic, schedule.chunk);
    break;
  case kCodeGuidedSimd:
    schedule.kind = LoopKind::kGuided;
    schedule.multiple = schedule.chunk;
    break;
  case kCodeRuntime: schedule = from_icv(icvs(worker).schedule, 1, one_by_one); break;
  case kCodeRuntimeSimd: schedule = from_icv(icvs(worker).schedule, schedule.chunk, one_by_one); break;
  default: break; // kCodeStatic and its variants
  }
  schedule.ordered = ordered;
  return schedule;
}

LoopSchedule loop_schedule_of(const Worker* worker, ScheduleClause clause, uint64_t chunk, bool ordered) {
  if (worker->member->team->serial()) return kInOneGo;
  bool one_by_one = ordered || in_doacross(worker);
  LoopSchedule schedule;
  schedule.chunk = chunk > 0 ? chunk : 1;
  switch (clause) {
  case ScheduleClause::kStatic: schedule.kind = chunk > 0 ? LoopKind::kStaticChunked : LoopKind::kStatic; break;
  case ScheduleClause::kDynamic: schedule = dynamic(one_by_one, false, schedule.chunk); break;
  case ScheduleClause::kGuided: schedule.kind = LoopKind::kGuided; break;
  case ScheduleClause::kRuntime:
  case ScheduleClause::kRuntimeNonmonotonic: schedule = from_icv(schedule_in_gcc(icvs(worker)), 1, one_by_one); break;
  }
  schedule.ordered = ordered;
  return schedule;
}

} // namespace chomp
