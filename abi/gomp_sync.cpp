// Barriers, critical sections, single, ordered and cancellation as GCC's code calls them. GOMP_atomic_start and _end
// are in kmpc_atomic.cpp, with the lock that they take.
#include "abi/abi.h"
#include "runtime/core/worker.h"
#include "runtime/loops/ordered.h"
#include "runtime/loops/single.h"
#include "runtime/sync/sync.h"
#include "runtime/tasks/cancel.h"

using chomp::CancelKind;
using chomp::this_worker;
using chomp::abi::Argument;

CHOMP_EXPORT void GOMP_barrier(void) { chomp::counted_barrier(this_worker()); }

// ---- critical, ordered ----------------------------------------------------------------------------------------------

CHOMP_EXPORT void GOMP_critical_start(void) { chomp::unnamed_critical.lock(); }
CHOMP_EXPORT void GOMP_critical_end(void) { chomp::unnamed_critical.unlock(); }
/// `name` is a pointer of the program, null at first.
CHOMP_EXPORT void GOMP_critical_name_start(void** name) { chomp::lock_in(name)->lock(); }
CHOMP_EXPORT void GOMP_critical_name_end(void** name) { chomp::lock_in(name)->unlock(); }

CHOMP_EXPORT void GOMP_ordered_start(void) { chomp::ordered_begin(this_worker()); }
CHOMP_EXPORT void GOMP_ordered_end(void) { chomp::ordered_end(this_worker()); }

// ---- single ---------------------------------------------------------------------------------------------------------

CHOMP_EXPORT bool GOMP_single_start(void) { return chomp::single_begin(this_worker()); }

/// With copyprivate: null to the member that executes the region, which calls …_end with the data; the data to the
/// others. The compiled code ends with a barrier.
CHOMP_EXPORT void* GOMP_single_copy_start(void) {
  chomp::Worker* worker = this_worker();
  return chomp::single_begin(worker) ? nullptr : chomp::copyprivate_exchange(worker, nullptr);
}
CHOMP_EXPORT void GOMP_single_copy_end(void* data) { chomp::copyprivate_exchange(this_worker(), data); }

// ---- cancellation ---------------------------------------------------------------------------------------------------

/// GCC's kinds have a bit each.
static CancelKind kind_of(int bit) {
  switch (bit) {
  case 1: return CancelKind::kParallel;
  case 2: return CancelKind::kLoop;
  case 4: return CancelKind::kSections;
  default: return CancelKind::kTaskgroup; // 8
  }
}

CHOMP_EXPORT bool GOMP_cancellation_point(int kind) { return chomp::cancel_requested(this_worker(), kind_of(kind)); }

/// `condition` is that of the directive's if clause; if false, this is a cancellation point.
CHOMP_EXPORT bool GOMP_cancel(int kind, Argument<bool> condition) {
  return condition ? chomp::cancel_request(this_worker(), kind_of(kind)) : GOMP_cancellation_point(kind);
}

/// True: the parallel region has been cancelled.
CHOMP_EXPORT bool GOMP_barrier_cancel(void) { return chomp::cancel_barrier(this_worker()); }
