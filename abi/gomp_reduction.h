// Task reductions as GCC's code describes them (runtime/tasks/task_reduction.h). It initialises and combines the
// private copies itself, and lays out a block for each member, in which each copy has a flag that says whether a task
// has made it ready.
//
// The description of a group's reduction lies in the encountering task's frame and outlives the group. A parallel
// region has one description, the first word of its data; a worksharing region has one in each member's frame, the
// `reductions` argument of GOMP_loop_start and the like, GOMP_sections2_start and GOMP_scope_start.
#pragma once

#include <cstddef>
#include <cstdint>

#include "runtime/tasks/task_reduction.h"
#include "runtime/tasks/taskgroup.h"

namespace chomp::abi {

static_assert(offsetof(CompiledReduction, places) == 56 && sizeof(ReductionPlace) == 24);

inline ReductionForm compiled_form(void* description) {
  auto compiled = static_cast<CompiledReduction*>(description);
  return {.count = static_cast<int>(compiled->count), .compiled = compiled};
}

/// Each member of the team calls this in the region before the body, and leave_parallel_reductions() after it.
inline void enter_parallel_reductions(Worker* worker, uintptr_t* reductions) {
  task_reduction_begin_parallel(worker, compiled_form(reductions));
}
inline void leave_parallel_reductions(Worker* worker) { taskgroup_end(worker); }

/// Each member calls this at the start of a worksharing construct, if `reductions` is not null. The compiled code ends
/// the construct with GOMP_workshare_task_reduction_unregister.
inline void enter_worksharing_reductions(Worker* worker, uintptr_t* reductions) {
  task_reduction_begin_region(worker, compiled_form(reductions));
}

} // namespace chomp::abi
