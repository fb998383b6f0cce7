// Reductions of parallel and worksharing constructs as Clang and Flang call them.
#include "abi/abi.h"
#include "runtime/core/team.h"
#include "runtime/core/worker.h"
#include "runtime/core/program_call.h"
#include "runtime/reductions/region_reduction.h"
#include "runtime/sync/sync.h"

using chomp::lock_in;
using chomp::this_worker;
using chomp::abi::Location;

namespace {

constexpr int32_t kAtomicVariantExists = 0x10; // in Location::flags

chomp::ReductionOffer offer_of(const Location* location, void* data, chomp::ReduceFunction function, void* name,
                               bool nowait) {
  bool atomic = location != nullptr && (location->flags & kAtomicVariantExists) != 0;
  return {atomic, data, function, lock_in(name), nowait};
}

/// Returns which way the reduction goes. After a plain or atomic way the compiled code combines, and then may call end.
int32_t begin(const chomp::ReductionOffer& offer, const void* site, const void* frame) {
  chomp::Worker* worker = this_worker();
  chomp::ProgramCall call(worker, site, frame, chomp::BarrierKind::kWorkshare);
  if (!chomp::announcing()) return chomp::reduction_begin(worker, offer);
  chomp::event_reduction(worker, true, site);
  int32_t way = chomp::reduction_begin(worker, offer);
  constexpr int32_t kByProgram = 1; // the compiled code calls end; after 2 only for some constructs
  if (way != kByProgram) chomp::event_reduction(worker, false, site);
  return way;
}

void end(void* name, bool nowait, const void* site, const void* frame) {
  chomp::Worker* worker = this_worker();
  chomp::ProgramCall call(worker, site, frame, chomp::BarrierKind::kWorkshare);
  if (chomp::announcing() && worker->member->worksharing.reduction_method != chomp::kReducedAtomically)
    chomp::event_reduction(worker, false, site);
  chomp::reduction_end(worker, lock_in(name), nowait);
}

} // namespace

CHOMP_EXPORT int32_t __kmpc_reduce_nowait(Location* location, int32_t, int32_t, size_t, void* data,
                                          chomp::ReduceFunction function, void* name) {
  return begin(offer_of(location, data, function, name, true), __builtin_return_address(0), __builtin_frame_address(0));
}
CHOMP_EXPORT void __kmpc_end_reduce_nowait(Location*, int32_t, void* name) {
  end(name, true, __builtin_return_address(0), __builtin_frame_address(0));
}

CHOMP_EXPORT int32_t __kmpc_reduce(Location* location, int32_t, int32_t, size_t, void* data,
                                   chomp::ReduceFunction function, void* name) {
  return begin(offer_of(location, data, function, name, false), __builtin_return_address(0),
               __builtin_frame_address(0));
}
CHOMP_EXPORT void __kmpc_end_reduce(Location*, int32_t, void* name) {
  end(name, false, __builtin_return_address(0), __builtin_frame_address(0));
}
