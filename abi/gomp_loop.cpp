// Worksharing loops, sections, doacross and scope as GCC's code calls them. GOMP_loop_…_start enters a loop, and takes
// the first chunk; GOMP_loop_…_next takes the others. Every member, even without a chunk, ends the loop with
// GOMP_loop_end, _end_nowait or _end_cancel. Loops over unsigned long long have functions of their own (_ull_), which
// get the direction as an argument.
//
// Static loops come here only if they need order, or if members share memory or reductions. Then GOMP_loop_start is
// called without a place for a chunk.
#include "abi/gomp_loop.h"

#include <stdarg.h>

#include "abi/abi.h"
#include "abi/gomp_reduction.h"
#include "runtime/observe/announced.h"
#include "runtime/core/team.h"
#include "runtime/tasks/cancel.h"

using chomp::ScheduleClause;
using chomp::this_worker;
using chomp::Worker;
using namespace chomp::abi;

namespace {

using UnsignedLong = unsigned long long;

/// The next chunk, half open. The loop's last chunk ends at the loop's own bound: compiled code compares with that to
/// know whether it has the last value (linear, lastprivate). Others end where the next chunk begins, which cannot
/// overflow.
template <class T> bool next_chunk(Worker* worker, T* start, T* end) {
  const chomp::MemberLoop& loop = worker->member->worksharing.loop;
  if (!loop.active) return false;
  chomp::ordered_finish_chunk(worker);
  chomp::LoopChunk chunk;
  if (!chomp::loop_next(worker, &chunk)) return false;
  *start = static_cast<T>(chunk.lower);
  *end = static_cast<T>(loop.chunk_last == loop.range.last ? loop.range.end : chunk.upper + loop.range.stride);
  if (chomp::announcing()) {
    chomp::event_chunk(worker, chomp::ChunkKind::kLoop, chunk.lower, loop.chunk_last - loop.chunk_first + 1);
  }
  return true;
}

template <class T> bool next_chunk(T* start, T* end) { return next_chunk(this_worker(), start, end); }

template <class T>
bool start_loop(const LoopBounds<T>& bounds, ScheduleClause clause, T chunk, bool ordered, T* start, T* end) {
  Worker* worker = this_worker();
  if (chomp::loop_in_one_go(worker)) {
    *start = bounds.start, *end = bounds.end;
    return !bounds.empty();
  }
  enter_loop(worker, bounds, clause, chunk, ordered);
  return next_chunk(worker, start, end);
}

/// The iterations of dimension i are 0 … counts[i] - 1. Only the first dimension is shared out; if it is empty, the
/// other counts are not set.
template <class T>
bool start_doacross(unsigned count, const T* counts, ScheduleClause clause, T chunk, T* start, T* end) {
  Worker* worker = this_worker();
  auto* dimensions = static_cast<chomp::DoacrossDimension*>(__builtin_alloca(count * sizeof(chomp::DoacrossDimension)));
  for (unsigned i = 0; i < count; ++i) dimensions[i] = {0, static_cast<int64_t>(counts[i]) - 1, 1};
  if (counts[0] != 0) chomp::doacross_begin(worker, static_cast<int>(count), dimensions);
  enter_loop(worker, LoopBounds<T>{true, 0, counts[0], 1, nullptr}, clause, chunk, false);
  return next_chunk(worker, start, end);
}

/// Begins what a construct needs beside iterations: reductions by tasks, and memory, whose size in bytes comes in
/// `*memory`.
void begin_extras(uintptr_t* reductions, void** memory) {
  Worker* worker = this_worker();
  if (reductions != nullptr) enter_worksharing_reductions(worker, reductions);
  if (memory != nullptr) *memory = chomp::workshare_memory(worker, reinterpret_cast<uintptr_t>(*memory));
}

/// The clause that an argument `schedule` means; a further bit says monotonic, which they all are.
ScheduleClause clause_of(long schedule) { return static_cast<ScheduleClause>(schedule & 7); }

Worker* end_construct(const void* site) {
  Worker* worker = this_worker();
  if (chomp::announcing()) chomp::event_work_end(worker, site);
  chomp::doacross_end(worker);
  chomp::loop_end(worker);
  chomp::workshare_memory_end(worker);
  return worker;
}

} // namespace

// ---- loops ----------------------------------------------------------------------------------------------------------

#define NEXT(name)                                                                                                     \
  CHOMP_EXPORT bool GOMP_loop_##name##_next(long* start, long* end) { return next_chunk(start, end); }                 \
  CHOMP_EXPORT bool GOMP_loop_ull_##name##_next(UnsignedLong* start, UnsignedLong* end) {                              \
    return next_chunk(start, end);                                                                                     \
  }

#define LOOP(name, clause, ordered)                                                                                    \
  CHOMP_EXPORT bool GOMP_loop_##name##_start(long first, long beyond, long incr, long chunk, long* start, long* end) { \
    return start_loop<long>({incr > 0, first, beyond, incr, __builtin_return_address(0)}, ScheduleClause::clause,      \
                            chunk, ordered, start, end);                                                               \
  }                                                                                                                    \
  CHOMP_EXPORT bool GOMP_loop_ull_##name##_start(Argument<bool> up, UnsignedLong first, UnsignedLong beyond,           \
                                                 UnsignedLong incr, UnsignedLong chunk, UnsignedLong* start,           \
                                                 UnsignedLong* end) {                                                  \
    return start_loop<UnsignedLong>({up, first, beyond, incr, __builtin_return_address(0)}, ScheduleClause::clause,    \
                                    chunk, ordered, start, end);                                                       \
  }                                                                                                                    \
  NEXT(name)

#define RUNTIME_LOOP(name, clause, ordered)                                                                            \
  CHOMP_EXPORT bool GOMP_loop_##name##_start(long first, long beyond, long incr, long* start, long* end) {             \
    return start_loop<long>({incr > 0, first, beyond, incr, __builtin_return_address(0)}, ScheduleClause::clause, 0,   \
                            ordered, start, end);                                                                      \
  }                                                                                                                    \
  CHOMP_EXPORT bool GOMP_loop_ull_##name##_start(Argument<bool> up, UnsignedLong first, UnsignedLong beyond,           \
                                                 UnsignedLong incr, UnsignedLong* start, UnsignedLong* end) {          \
    return start_loop<UnsignedLong>({up, first, beyond, incr, __builtin_return_address(0)}, ScheduleClause::clause, 0, \
                                    ordered, start, end);                                                              \
  }                                                                                                                    \
  NEXT(name)

// Each makes GOMP_loop_NAME_start and _next, and GOMP_loop_ull_NAME_start and _next.
LOOP(static, kStatic, false)
LOOP(dynamic, kDynamic, false)
LOOP(guided, kGuided, false)
RUNTIME_LOOP(runtime, kRuntime, false)
LOOP(nonmonotonic_dynamic, kDynamic, false)
LOOP(nonmonotonic_guided, kGuided, false)
RUNTIME_LOOP(nonmonotonic_runtime, kRuntimeNonmonotonic, false)
RUNTIME_LOOP(maybe_nonmonotonic_runtime, kRuntimeNonmonotonic, false)
LOOP(ordered_static, kStatic, true)
LOOP(ordered_dynamic, kDynamic, true)
LOOP(ordered_guided, kGuided, true)
RUNTIME_LOOP(ordered_runtime, kRuntime, true)

#define DOACROSS_LOOP(name, clause)                                                                                    \
  CHOMP_EXPORT bool GOMP_loop_doacross_##name##_start(unsigned count, const long* counts, long chunk, long* start,     \
                                                      long* end) {                                                     \
    return start_doacross(count, counts, ScheduleClause::clause, chunk, start, end);                                   \
  }                                                                                                                    \
  CHOMP_EXPORT bool GOMP_loop_ull_doacross_##name##_start(                                                             \
      unsigned count, const UnsignedLong* counts, UnsignedLong chunk, UnsignedLong* start, UnsignedLong* end) {        \
    return start_doacross(count, counts, ScheduleClause::clause, chunk, start, end);                                   \
  }
DOACROSS_LOOP(static, kStatic)
DOACROSS_LOOP(dynamic, kDynamic)
DOACROSS_LOOP(guided, kGuided)

CHOMP_EXPORT bool GOMP_loop_doacross_runtime_start(unsigned count, const long* counts, long* start, long* end) {
  return start_doacross(count, counts, ScheduleClause::kRuntime, 0L, start, end);
}
CHOMP_EXPORT bool GOMP_loop_ull_doacross_runtime_start(unsigned count, const UnsignedLong* counts, UnsignedLong* start,
                                                       UnsignedLong* end) {
  return start_doacross(count, counts, ScheduleClause::kRuntime, UnsignedLong{0}, start, end);
}

// These take the schedule as an argument, and extras. If `start` is null, there is nothing to share out.

#define GENERAL_LOOP(name, ordered)                                                                                    \
  CHOMP_EXPORT bool GOMP_loop_##name(long first, long beyond, long incr, long schedule, long chunk, long* start,       \
                                     long* end, uintptr_t* reductions, void** memory) {                                \
    begin_extras(reductions, memory);                                                                                  \
    if (start == nullptr) return true;                                                                                 \
    return start_loop<long>({incr > 0, first, beyond, incr, __builtin_return_address(0)}, clause_of(schedule), chunk,  \
                            ordered, start, end);                                                                      \
  }                                                                                                                    \
  CHOMP_EXPORT bool GOMP_loop_ull_##name(Argument<bool> up, UnsignedLong first, UnsignedLong beyond,                   \
                                         UnsignedLong incr, long schedule, UnsignedLong chunk, UnsignedLong* start,    \
                                         UnsignedLong* end, uintptr_t* reductions, void** memory) {                    \
    begin_extras(reductions, memory);                                                                                  \
    if (start == nullptr) return true;                                                                                 \
    return start_loop<UnsignedLong>({up, first, beyond, incr, __builtin_return_address(0)}, clause_of(schedule),       \
                                    chunk, ordered, start, end);                                                       \
  }
GENERAL_LOOP(start, false)
GENERAL_LOOP(ordered_start, true)

CHOMP_EXPORT bool GOMP_loop_doacross_start(unsigned count, const long* counts, long schedule, long chunk, long* start,
                                           long* end, uintptr_t* reductions, void** memory) {
  begin_extras(reductions, memory);
  return start_doacross(count, counts, clause_of(schedule), chunk, start, end);
}
CHOMP_EXPORT bool GOMP_loop_ull_doacross_start(unsigned count, const UnsignedLong* counts, long schedule,
                                               UnsignedLong chunk, UnsignedLong* start, UnsignedLong* end,
                                               uintptr_t* reductions, void** memory) {
  begin_extras(reductions, memory);
  return start_doacross(count, counts, clause_of(schedule), chunk, start, end);
}

CHOMP_EXPORT void GOMP_loop_end(void) {
  const void* site = __builtin_return_address(0);
  chomp::program_barrier(end_construct(site), chomp::BarrierKind::kWorkshare, site);
}
CHOMP_EXPORT void GOMP_loop_end_nowait(void) { end_construct(__builtin_return_address(0)); }
/// True: the parallel region has been cancelled.
CHOMP_EXPORT bool GOMP_loop_end_cancel(void) {
  Worker* worker = end_construct(__builtin_return_address(0));
  CHOMP_PROGRAM_CALL(worker, chomp::BarrierKind::kWorkshare);
  return chomp::cancel_barrier(worker);
}

// ---- doacross -------------------------------------------------------------------------------------------------------

namespace {

/// `first` is the first number of the vector; `list` has one more for each further dimension.
template <class T> void wait_for_iteration(T first, va_list list) {
  const Worker* worker = this_worker();
  int count = chomp::doacross_dimension_count(worker);
  if (count == 0) return;
  auto* vector = static_cast<int64_t*>(__builtin_alloca(static_cast<size_t>(count) * sizeof(int64_t)));
  vector[0] = static_cast<int64_t>(first);
  for (int i = 1; i < count; ++i) vector[i] = static_cast<int64_t>(va_arg(list, T));
  if (chomp::doacross_wait(this_worker(), vector)) chomp::tell_doacross(true, vector);
}

} // namespace

CHOMP_EXPORT void GOMP_doacross_post(const int64_t* vector) {
  chomp::tell_doacross(false, vector);
  chomp::doacross_post(this_worker(), vector);
}
CHOMP_EXPORT void GOMP_doacross_ull_post(const int64_t* vector) {
  chomp::tell_doacross(false, vector);
  chomp::doacross_post(this_worker(), vector);
}

CHOMP_EXPORT void GOMP_doacross_wait(long first, ...) {
  va_list list;
  va_start(list, first);
  wait_for_iteration(first, list);
  va_end(list);
}
CHOMP_EXPORT void GOMP_doacross_ull_wait(UnsignedLong first, ...) {
  va_list list;
  va_start(list, first);
  wait_for_iteration(first, list);
  va_end(list);
}

// ---- sections, scope ------------------------------------------------------------------------------------------------

/// The number of a section, from 1; 0: there is none left.
static unsigned next_section(Worker* worker, const void* site) {
  int32_t count = chomp::sections_count(worker), section = chomp::sections_next(worker, count);
  if (section >= count) return 0;
  if (chomp::announcing()) chomp::event_section(worker, site);
  return static_cast<unsigned>(section) + 1;
}

CHOMP_EXPORT unsigned GOMP_sections_next(void) { return next_section(this_worker(), __builtin_return_address(0)); }

static unsigned start_sections(unsigned count, const void* site) {
  Worker* worker = this_worker();
  enter_sections(worker, count, site);
  return next_section(worker, site);
}

CHOMP_EXPORT unsigned GOMP_sections_start(unsigned count) { return start_sections(count, __builtin_return_address(0)); }
CHOMP_EXPORT unsigned GOMP_sections2_start(unsigned count, uintptr_t* reductions, void** memory) {
  begin_extras(reductions, memory);
  return start_sections(count, __builtin_return_address(0));
}

CHOMP_EXPORT void GOMP_sections_end(void) {
  const void* site = __builtin_return_address(0);
  chomp::program_barrier(end_construct(site), chomp::BarrierKind::kWorkshare, site);
}
CHOMP_EXPORT void GOMP_sections_end_nowait(void) { end_construct(__builtin_return_address(0)); }
CHOMP_EXPORT bool GOMP_sections_end_cancel(void) {
  Worker* worker = end_construct(__builtin_return_address(0));
  CHOMP_PROGRAM_CALL(worker, chomp::BarrierKind::kWorkshare);
  return chomp::cancel_barrier(worker);
}

/// scope with reduction(task, …); other scopes have no entry point.
CHOMP_EXPORT void GOMP_scope_start(uintptr_t* reductions) { begin_extras(reductions, nullptr); }
