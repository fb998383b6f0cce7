// Reductions of parallel and worksharing constructs as Clang and Flang call them.
#include "abi/abi.h"
#include "runtime/core/worker.h"
#include "runtime/core/program_call.h"
#include "runtime/teams/region_reduction.h"
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

int32_t begin(const chomp::ReductionOffer& offer, const void* site, const void* frame) {
  chomp::Worker* worker = this_worker();
  chomp::ProgramCall call(worker, site, frame, chomp::BarrierKind::kWorkshare);
  return chomp::reduction_begin(worker, offer, site);
}

void end(void* name, bool nowait, const void* site, const void* frame) {
  chomp::Worker* worker = this_worker();
  chomp::ProgramCall call(worker, site, frame, chomp::BarrierKind::kWorkshare);
  chomp::reduction_end(worker, lock_in(name), nowait, site);
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
