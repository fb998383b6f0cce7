// Entry points of dependences: tasks with depend clauses, taskwait depend, and what a tool may ask of nodes.
#include "abi/abi.h"
#include "runtime/dependences/task_deps.h"
#include "runtime/core/program_call.h"

using namespace chomp;
using chomp::abi::Location;

static int32_t no_body(int32_t, void*) { return 0; }

static DependenceList list_of(int32_t count, const Dependence* items, int32_t noalias_count,
                              const Dependence* noalias_items) {
  return {{{items, count}, {noalias_items, noalias_count}}};
}

CHOMP_EXPORT int32_t __kmpc_omp_task_with_deps(Location*, int32_t, void* payload, int32_t count,
                                               const Dependence* items, int32_t noalias_count,
                                               const Dependence* noalias_items) {
  Task* task = Task::of_payload(payload);
  // Some compilers make `taskwait depend nowait` a task without a body.
  if (CHOMP_UNLIKELY(task->payload()->routine == nullptr)) task->payload()->routine = no_body;
  Worker* worker = this_worker();
  CHOMP_PROGRAM_CALL(worker);
  task_spawn_with_dependences(worker, task, list_of(count, items, noalias_count, noalias_items));
  return 0; // TASK_CURRENT_NOT_QUEUED
}

CHOMP_EXPORT void __kmpc_omp_taskwait_deps_51(Location*, int32_t, int32_t count, const Dependence* items,
                                              int32_t noalias_count, const Dependence* noalias_items, int32_t nowait) {
  DependenceList list = list_of(count, items, noalias_count, noalias_items);
  Worker* worker = this_worker();
  CHOMP_PROGRAM_CALL(worker);
  dependences_alone(worker, nowait != 0, list);
}

CHOMP_EXPORT void __kmpc_omp_wait_deps(Location*, int32_t, int32_t count, const Dependence* items,
                                       int32_t noalias_count, const Dependence* noalias_items) {
  Worker* worker = this_worker();
  CHOMP_PROGRAM_CALL(worker);
  wait_for_dependences(worker, list_of(count, items, noalias_count, noalias_items));
}

/// libomp has nodes of its own for hidden helpers; chomp has none.
CHOMP_EXPORT void* __kmpc_task_get_depnode(void*) { return nullptr; }
CHOMP_EXPORT void* __kmpc_task_get_successors(void*) { return nullptr; }
