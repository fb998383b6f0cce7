// Entry points of reductions by tasks, for code compiled by GCC. Parallel and worksharing regions begin their
// reductions in gomp_parallel.cpp and gomp_loop.cpp (gomp_reduction.h), taskloops in gomp_task.cpp.
#include "abi/gomp_reduction.h"

#include "abi/abi.h"
#include "runtime/tasks/cancel.h"

using namespace chomp;

CHOMP_EXPORT void GOMP_taskgroup_reduction_register(CompiledReduction* reduction) {
  task_reduction_begin(this_worker(), abi::compiled_form(reduction));
}

/// After a group or a parallel region.
CHOMP_EXPORT void GOMP_taskgroup_reduction_unregister(CompiledReduction* reduction) {
  task_reduction_free(this_worker(), reduction->copies);
}

CHOMP_EXPORT void GOMP_task_reduction_remap(size_t count, size_t originals_wanted, void** addresses) {
  task_reduction_translate(this_worker(), count, originals_wanted, addresses);
}

/// Ends a worksharing region. The compiled code leaves the construct's own barrier to us, unless the parallel region
/// has been cancelled.
CHOMP_EXPORT void GOMP_workshare_task_reduction_unregister(abi::Argument<bool> cancelled) {
  Worker* worker = this_worker();
  const Taskgroup* group = worker->current->taskgroup;
  if (group != nullptr && group->reduction != nullptr) taskgroup_end(worker); // else it was left by cancellation
  if (!cancelled) counted_barrier(worker);
}
