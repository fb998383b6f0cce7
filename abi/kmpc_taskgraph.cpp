// Entry points of task graphs (OpenMP 6.0, 14.3). LLVM's runtime has the first two only if it was built with them, for
// a compiler that is not LLVM's own; programs call them by hand. Clang will emit the others. LLVM has not merged that
// interface yet (pull requests 194047 to 216325); what is known of it comes from the code in their tests.
#include "abi/abi.h"
#include "runtime/dependences/task_deps.h"
#include "runtime/core/program_call.h"
#include "runtime/tasks/task_graph.h"
#include "runtime/tasks/task_spawn.h"

using namespace chomp;
using chomp::abi::Location;

/// Returns whether the caller executes the region. Bit 0 of `flags`: nowait (no taskgroup); bit 1: record the graph
/// again.
CHOMP_EXPORT int32_t __kmpc_start_record_task(Location*, int32_t, int32_t flags, int32_t number) {
  constexpr int32_t kKnown = kGraphNoGroup | kGraphReset;
  return graph_begin(this_worker(), {nullptr, static_cast<uint32_t>(number)}, static_cast<uint32_t>(flags & kKnown),
                     nullptr);
}

CHOMP_EXPORT void __kmpc_end_record_task(Location*, int32_t, int32_t, int32_t) { graph_end(this_worker()); }

/// The whole construct: `handle` is its own variable, `region` its body. Tasks and taskloops that other calls make in
/// it are replayable(false).
CHOMP_EXPORT void __kmpc_taskgraph(Location*, int32_t, void** handle, uint64_t number, int32_t reset, int32_t nogroup,
                                   void (*region)(void*), void* captures) {
  Worker* worker = this_worker();
  uint32_t clauses = kGraphMarks | (nogroup != 0 ? kGraphNoGroup : 0u) | (reset != 0 ? kGraphReset : 0u);
  if (graph_begin(worker, {handle, number}, clauses, captures)) region(captures);
  graph_end(worker);
}

/// A task in a taskgraph construct, with the flags and sizes of its allocation.
CHOMP_EXPORT int32_t __kmpc_taskgraph_task(Location*, int32_t, void* payload, int32_t, size_t, size_t, int32_t count,
                                           const Dependence* items, GraphRelocate relocate, GraphClone clone) {
  Worker* worker = this_worker();
  CHOMP_PROGRAM_CALL(worker);
  if (worker->current->is(kRecords)) graph_note_functions(worker, relocate, clone);
  Task* task = Task::of_payload(payload);
  if (count == 0) return task_spawn_inline(worker, task, __builtin_return_address(0));
  task_spawn_with_dependences(worker, task, {{{items, count}, {nullptr, 0}}});
  return 0; // TASK_CURRENT_NOT_QUEUED
}
