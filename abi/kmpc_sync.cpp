// Barriers, critical sections, single, masked, scope, flush and cancellation as Clang and Flang call them.
#include "abi/abi.h"
#include "abi/omp_c_api.h"
#include "runtime/base/check.h"
#include "runtime/config/config.h"
#include "runtime/core/team.h"
#include "runtime/core/worker.h"
#include "runtime/loops/ordered.h"
#include "runtime/loops/single.h"
#include "runtime/sync/sync.h"
#include "runtime/tasks/cancel.h"

using chomp::CancelKind;
using chomp::this_worker;
using chomp::Worker;
using chomp::abi::Location;

// ---- barrier --------------------------------------------------------------------------------------------------------

CHOMP_EXPORT void __kmpc_barrier(Location*, int32_t) { chomp::counted_barrier(this_worker()); }

/// Returns 1 to the primary when all have arrived; the others return 0 after it has called __kmpc_end_barrier_master.
CHOMP_EXPORT int32_t __kmpc_barrier_master(Location*, int32_t) {
  Worker* worker = this_worker();
  chomp::counted_barrier(worker);
  if (worker->member->tid == 0) return 1;
  chomp::counted_barrier(worker);
  return 0;
}
CHOMP_EXPORT void __kmpc_end_barrier_master(Location*, int32_t) { chomp::counted_barrier(this_worker()); }

/// A barrier; returns 1 to the primary.
CHOMP_EXPORT int32_t __kmpc_barrier_master_nowait(Location*, int32_t) {
  Worker* worker = this_worker();
  chomp::counted_barrier(worker);
  return worker->member->tid == 0;
}

// ---- cancellation ---------------------------------------------------------------------------------------------------

CHOMP_EXPORT int32_t __kmpc_cancel_barrier(Location*, int32_t) { return chomp::cancel_barrier(this_worker()); }
CHOMP_EXPORT int32_t __kmpc_cancel(Location*, int32_t, int32_t kind) {
  return chomp::cancel_request(this_worker(), static_cast<CancelKind>(kind));
}
CHOMP_EXPORT int32_t __kmpc_cancellationpoint(Location*, int32_t, int32_t kind) {
  return chomp::cancel_requested(this_worker(), static_cast<CancelKind>(kind));
}
CHOMP_EXPORT int kmp_get_cancellation_status(int kind) {
  return chomp::cancel_requested(this_worker(), static_cast<CancelKind>(kind));
}
CHOMP_EXPORT int omp_get_cancellation(void) {
  this_worker(); // reads the settings, if no call has done so yet
  return chomp::config.cancellation;
}

// ---- critical, flush ------------------------------------------------------------------------------------------------
// `name` is 32 zeroed bytes of the program.

CHOMP_EXPORT void __kmpc_critical(Location*, int32_t, void* name) { chomp::lock_in(name)->lock(); }
CHOMP_EXPORT void __kmpc_critical_with_hint(Location*, int32_t, void* name, uint32_t hint) {
  chomp::lock_in(name)->lock(chomp::lock_hint(hint));
}
CHOMP_EXPORT void __kmpc_end_critical(Location*, int32_t, void* name) { chomp::lock_in(name)->unlock(); }

/// flush orders in both directions and against everything (OpenMP 5.2, 15.8.5).
CHOMP_EXPORT void __kmpc_flush(Location*) {
  chomp::thread_fence(std::memory_order_seq_cst); // seq_cst: pairs with the flush of any other thread
}
/// libiomp5's. How its arguments name the kind of flush is not published; the strongest flush is right for all kinds.
CHOMP_EXPORT void __kmpc_flush_explicit(Location* location) { __kmpc_flush(location); }

// ---- single, masked, scope ------------------------------------------------------------------------------------------

CHOMP_EXPORT int32_t __kmpc_single(Location*, int32_t) { return chomp::single_begin(this_worker()); }
CHOMP_EXPORT void __kmpc_end_single(Location*, int32_t) {}

CHOMP_EXPORT void __kmpc_copyprivate(Location*, int32_t, size_t, void* data, void (*copy)(void*, void*),
                                     int32_t executed) {
  chomp::copyprivate_broadcast(this_worker(), data, copy, executed != 0);
}
CHOMP_EXPORT void* __kmpc_copyprivate_light(Location*, int32_t, void* data) {
  return chomp::copyprivate_exchange(this_worker(), data);
}

CHOMP_EXPORT int32_t __kmpc_master(Location*, int32_t) { return this_worker()->member->tid == 0; }
CHOMP_EXPORT void __kmpc_end_master(Location*, int32_t) {}
CHOMP_EXPORT int32_t __kmpc_masked(Location*, int32_t, int32_t filter) { return this_worker()->member->tid == filter; }
CHOMP_EXPORT void __kmpc_end_masked(Location*, int32_t) {}
CHOMP_EXPORT void __kmpc_scope(Location*, int32_t, void*) {}
CHOMP_EXPORT void __kmpc_end_scope(Location*, int32_t, void*) {}
