// Barriers, critical sections, single, ordered and cancellation as GCC's code calls them. GOMP_atomic_start and _end
// are in kmpc_atomic.cpp.
#include "abi/abi.h"
#include "runtime/observe/announced.h"
#include "runtime/core/worker.h"
#include "runtime/loops/ordered.h"
#include "runtime/loops/single.h"
#include "runtime/sync/sync.h"
#include "runtime/tasks/cancel.h"

using chomp::announcing;
using chomp::CancelKind;
using chomp::this_worker;
using chomp::abi::Argument;
using namespace chomp::abi;

CHOMP_EXPORT void GOMP_barrier(void) {
  chomp::program_barrier(this_worker(), chomp::BarrierKind::kExplicit, __builtin_return_address(0));
}

// ---- critical, ordered ----------------------------------------------------------------------------------------------

CHOMP_EXPORT void GOMP_critical_start(void) {
  chomp::critical_begin(&chomp::unnamed_critical, 0, __builtin_return_address(0));
}
CHOMP_EXPORT void GOMP_critical_end(void) { chomp::critical_end(&chomp::unnamed_critical); }
/// `name` is a pointer of the program, null at first.
CHOMP_EXPORT void GOMP_critical_name_start(void** name) { chomp::critical_begin(name, 0, __builtin_return_address(0)); }
CHOMP_EXPORT void GOMP_critical_name_end(void** name) { chomp::critical_end(name); }

CHOMP_EXPORT void GOMP_ordered_start(void) { chomp::begin_ordered(__builtin_return_address(0)); }
CHOMP_EXPORT void GOMP_ordered_end(void) { chomp::end_ordered(__builtin_return_address(0)); }

// ---- single ---------------------------------------------------------------------------------------------------------

/// GCC's code does not say when the member that executes the region leaves it. So a tool sees it end at once.
static bool begin_single(chomp::Worker* worker, const void* site) {
  bool executes = chomp::single_begin(worker);
  if (announcing()) {
    chomp::tell_single(worker, executes, site);
    if (executes) chomp::event_work_at(worker, chomp::WorkKind::kSingleExecutor, false, 1, site);
  }
  return executes;
}

[[gnu::noinline]] static bool begin_single_slow(const void* site) { return begin_single(this_worker(), site); }

CHOMP_EXPORT bool GOMP_single_start(void) {
  return chomp::executes_single_quietly() || begin_single_slow(__builtin_return_address(0));
}

/// single with copyprivate. Returns null to the member that executes the region, which then calls …_end with the data.
/// Returns the data to the others. The compiled code ends with a barrier.
CHOMP_EXPORT void* GOMP_single_copy_start(void) {
  chomp::Worker* worker = this_worker();
  CHOMP_PROGRAM_CALL(worker, chomp::BarrierKind::kWorkshare);
  return begin_single(worker, __builtin_return_address(0)) ? nullptr : chomp::copyprivate_exchange(worker, nullptr);
}
CHOMP_EXPORT void GOMP_single_copy_end(void* data) {
  chomp::Worker* worker = this_worker();
  CHOMP_PROGRAM_CALL(worker, chomp::BarrierKind::kWorkshare);
  chomp::copyprivate_exchange(worker, data);
}

// ---- cancellation ---------------------------------------------------------------------------------------------------

/// GCC has one bit for each kind.
static CancelKind kind_of(int bit) {
  switch (bit) {
  case 1: return CancelKind::kParallel;
  case 2: return CancelKind::kLoop;
  case 4: return CancelKind::kSections;
  default: return CancelKind::kTaskgroup; // 8
  }
}

static bool asks_cancelled(chomp::Worker* worker, CancelKind kind, const void* site) {
  bool cancelled = chomp::cancel_requested(worker, kind);
  if (announcing() && cancelled) chomp::event_cancel(worker, kind, false, site);
  return cancelled;
}

CHOMP_EXPORT bool GOMP_cancellation_point(int kind) {
  return asks_cancelled(this_worker(), kind_of(kind), __builtin_return_address(0));
}

/// `condition`: of the directive's if clause. If it is false, this is a cancellation point.
CHOMP_EXPORT bool GOMP_cancel(int kind, Argument<bool> condition) {
  chomp::Worker* worker = this_worker();
  if (!condition) return asks_cancelled(worker, kind_of(kind), __builtin_return_address(0));
  bool requested = chomp::cancel_request(worker, kind_of(kind));
  if (announcing() && requested) chomp::event_cancel(worker, kind_of(kind), true, __builtin_return_address(0));
  return requested;
}

/// True: the parallel region has been cancelled.
CHOMP_EXPORT bool GOMP_barrier_cancel(void) {
  chomp::Worker* worker = this_worker();
  CHOMP_PROGRAM_CALL(worker, chomp::BarrierKind::kExplicit);
  return chomp::cancel_barrier(worker);
}
