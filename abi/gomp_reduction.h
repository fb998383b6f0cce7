// What abi/gomp_parallel.cpp and abi/gomp_loop.cpp need for reduction(task, …): the `reductions` argument that GCC
// passes to GOMP_parallel_reductions (first word of its data), GOMP_loop_start and the like, GOMP_sections2_start and
// GOMP_scope_start.
#pragma once

#include "runtime/reductions/block_reduction.h"
#include "runtime/tasks/taskgroup.h"

namespace chomp::abi {

/// Each member of the team calls this in the region before the body, and leave_parallel_reductions() after it.
inline void enter_parallel_reductions(Worker* worker, uintptr_t* reductions) {
  block_reduction_enter_parallel(worker, reinterpret_cast<BlockReduction*>(reductions));
}
inline void leave_parallel_reductions(Worker* worker) { taskgroup_end(worker); }

/// Each member calls this at the start of a worksharing construct, if `reductions` is not null. The compiled code ends
/// the construct with GOMP_workshare_task_reduction_unregister.
inline void enter_worksharing_reductions(Worker* worker, uintptr_t* reductions) {
  block_reduction_enter_worksharing(worker, reinterpret_cast<BlockReduction*>(reductions));
}

} // namespace chomp::abi
