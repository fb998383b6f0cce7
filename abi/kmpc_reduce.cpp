// Reductions of parallel and worksharing constructs as Clang and Flang call them.
#include "abi/abi.h"
#include "runtime/core/worker.h"
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

} // namespace

CHOMP_EXPORT int32_t __kmpc_reduce_nowait(Location* location, int32_t, int32_t, size_t, void* data,
                                          chomp::ReduceFunction function, void* name) {
  return chomp::reduction_begin(this_worker(), offer_of(location, data, function, name, true));
}
CHOMP_EXPORT void __kmpc_end_reduce_nowait(Location*, int32_t, void* name) {
  chomp::reduction_end(this_worker(), lock_in(name), true);
}

CHOMP_EXPORT int32_t __kmpc_reduce(Location* location, int32_t, int32_t, size_t, void* data,
                                   chomp::ReduceFunction function, void* name) {
  return chomp::reduction_begin(this_worker(), offer_of(location, data, function, name, false));
}
CHOMP_EXPORT void __kmpc_end_reduce(Location*, int32_t, void* name) {
  chomp::reduction_end(this_worker(), lock_in(name), false);
}
