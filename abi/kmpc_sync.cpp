// Barriers, critical sections, single, masked, scope, flush and cancellation as Clang and Flang call them.
#include "abi/abi.h"
#include "abi/omp_c_api.h"
#include "runtime/observe/announced.h"
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
using chomp::WorkKind;
using chomp::abi::Location;

// ---- barrier --------------------------------------------------------------------------------------------------------

/// The kind of a barrier, from the compiler's Location::flags.
static chomp::BarrierKind barrier_kind(const Location* location) {
  constexpr int32_t kExplicit = 0x20, kOfWorksharing = 0x40;
  if (location == nullptr || (location->flags & kExplicit) != 0) return chomp::BarrierKind::kExplicit;
  return (location->flags & kOfWorksharing) != 0 ? chomp::BarrierKind::kWorkshare : chomp::BarrierKind::kImplementation;
}

CHOMP_EXPORT void __kmpc_barrier(Location* location, int32_t) {
  chomp::program_barrier(this_worker(), barrier_kind(location), __builtin_return_address(0));
}

/// Returns 1 to the primary when all have arrived. Returns 0 to the others when the primary has called
/// __kmpc_end_barrier_master.
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

CHOMP_EXPORT int32_t __kmpc_cancel_barrier(Location* location, int32_t) {
  Worker* worker = this_worker();
  CHOMP_PROGRAM_CALL(worker, barrier_kind(location));
  return chomp::cancel_barrier(worker);
}
CHOMP_EXPORT int32_t __kmpc_cancel(Location*, int32_t, int32_t kind) {
  Worker* worker = this_worker();
  bool requested = chomp::cancel_request(worker, static_cast<CancelKind>(kind));
  if (chomp::announcing() && requested)
    chomp::event_cancel(worker, static_cast<CancelKind>(kind), true, __builtin_return_address(0));
  return requested;
}
CHOMP_EXPORT int32_t __kmpc_cancellationpoint(Location*, int32_t, int32_t kind) {
  Worker* worker = this_worker();
  bool requested = chomp::cancel_requested(worker, static_cast<CancelKind>(kind));
  if (chomp::announcing() && requested)
    chomp::event_cancel(worker, static_cast<CancelKind>(kind), false, __builtin_return_address(0));
  return requested;
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

CHOMP_EXPORT void __kmpc_critical(Location*, int32_t, void* name) {
  chomp::critical_begin(name, 0, __builtin_return_address(0));
}
CHOMP_EXPORT void __kmpc_critical_with_hint(Location*, int32_t, void* name, uint32_t hint) {
  chomp::critical_begin(name, hint, __builtin_return_address(0));
}
CHOMP_EXPORT void __kmpc_end_critical(Location*, int32_t, void* name) { chomp::critical_end(name); }

CHOMP_EXPORT void __kmpc_flush(Location*) { chomp::flush(__builtin_return_address(0)); }
/// From libiomp5. The meaning of its arguments is not published; the strongest flush is right for all kinds.
CHOMP_EXPORT void __kmpc_flush_explicit(Location* location) { __kmpc_flush(location); }

// ---- single, masked, scope ------------------------------------------------------------------------------------------

[[gnu::noinline]] static int32_t begin_single_slow(const void* site) {
  Worker* worker = this_worker();
  bool executes = chomp::single_begin(worker);
  if (chomp::announcing()) chomp::tell_single(worker, executes, site);
  return executes;
}

CHOMP_EXPORT int32_t __kmpc_single(Location*, int32_t) {
  return chomp::executes_single_quietly() ? 1 : begin_single_slow(__builtin_return_address(0));
}
CHOMP_EXPORT void __kmpc_end_single(Location*, int32_t) {
  if (chomp::announcing())
    chomp::event_work_at(this_worker(), WorkKind::kSingleExecutor, false, 1, __builtin_return_address(0));
}

CHOMP_EXPORT void __kmpc_copyprivate(Location*, int32_t, size_t, void* data, void (*copy)(void*, void*),
                                     int32_t executed) {
  Worker* worker = this_worker();
  CHOMP_PROGRAM_CALL(worker, chomp::BarrierKind::kWorkshare);
  chomp::copyprivate_broadcast(worker, data, copy, executed != 0);
}
CHOMP_EXPORT void* __kmpc_copyprivate_light(Location*, int32_t, void* data) {
  Worker* worker = this_worker();
  CHOMP_PROGRAM_CALL(worker, chomp::BarrierKind::kWorkshare);
  return chomp::copyprivate_exchange(worker, data);
}

/// masked and master: whether the calling thread executes the region.
static inline int32_t begin_masked(int32_t filter, const void* site) {
  Worker* worker = this_worker();
  bool executes = worker->member->tid == filter;
  if (chomp::announcing() && executes) chomp::event_masked(worker, true, site);
  return executes;
}
static inline void end_masked(const void* site) {
  if (!chomp::announcing()) return;
  Worker* worker = this_worker();
  chomp::event_masked(worker, false, site);
}

CHOMP_EXPORT int32_t __kmpc_master(Location*, int32_t) { return begin_masked(0, __builtin_return_address(0)); }
CHOMP_EXPORT void __kmpc_end_master(Location*, int32_t) { end_masked(__builtin_return_address(0)); }
CHOMP_EXPORT int32_t __kmpc_masked(Location*, int32_t, int32_t filter) {
  return begin_masked(filter, __builtin_return_address(0));
}
CHOMP_EXPORT void __kmpc_end_masked(Location*, int32_t) { end_masked(__builtin_return_address(0)); }
CHOMP_EXPORT void __kmpc_scope(Location*, int32_t, void*) {
  if (chomp::announcing()) chomp::event_work_at(this_worker(), WorkKind::kScope, true, 1, __builtin_return_address(0));
}
CHOMP_EXPORT void __kmpc_end_scope(Location*, int32_t, void*) {
  if (chomp::announcing()) chomp::event_work_at(this_worker(), WorkKind::kScope, false, 1, __builtin_return_address(0));
}
