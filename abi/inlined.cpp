// The quick halves of the tasks' entry points, as `chomp cc --inline` puts them into programs: calls of the runtime's
// own inline functions, and the entry point itself for all else, so that tools see the program's call sites. The build
// makes lib/chomp-inline.bc of this file (tools/releasing/cmake/InlinedTasks.cmake), which renames inlined_NAME to
// NAME; the library has none of it. Nothing outside chomp_inline_abi_1 and the entry points may be left undefined.
#include "abi/abi.h"
#include "runtime/core/team.h"
#include "runtime/core/worker.h"
#include "runtime/tasks/task_alloc.h"
#include "runtime/tasks/task_spawn.h"
#include "runtime/wait/inlined.h"
#include "runtime/wait/work_loop.h"

using namespace chomp;
using chomp::abi::Location;

// The program's view. The build tells the compiler that it is constant, since it stays what it is once it is used.
extern "C" __attribute__((weak)) InlinedTable table_in_library __asm__("chomp_inline_abi_1");

extern "C" {
int32_t __kmpc_global_thread_num(Location* location);
TaskPayload* __kmpc_omp_task_alloc(Location* location, int32_t gtid, int32_t flags, size_t payload_bytes,
                                   size_t shareds_bytes, TaskPayload::Entry entry);
int32_t __kmpc_omp_task(Location* location, int32_t gtid, void* payload);
int32_t __kmpc_omp_taskwait(Location* location, int32_t gtid);
}

namespace {

/// The calling thread's record; null if this library has another table, or does not know the thread. Read anew at each
/// call of the program, since a suspended task may go on in another thread.
inline Worker* worker_here() {
  if (CHOMP_UNLIKELY(&table_in_library == nullptr)) return nullptr;
  const intptr_t offset = *reinterpret_cast<const intptr_t*>(&table_in_library.worker_offset);
  if (CHOMP_UNLIKELY(offset == 0)) return nullptr;
  using InThread = Worker* __attribute__((address_space(257))); // relative to %fs
  return *reinterpret_cast<InThread*>(offset);
}

} // namespace

CHOMP_EXPORT int32_t inlined___kmpc_global_thread_num(Location* location) {
  const Worker* worker = worker_here();
  return CHOMP_LIKELY(worker != nullptr) ? worker->gtid : __kmpc_global_thread_num(location);
}

CHOMP_EXPORT TaskPayload* inlined___kmpc_omp_task_alloc(Location* location, int32_t gtid, int32_t flags,
                                                        size_t payload_bytes, size_t shareds_bytes,
                                                        TaskPayload::Entry entry) {
  constexpr uint32_t kUsual = kMakersFlags & ~kPrioritySpecified;
  Worker* worker = worker_here();
  if (CHOMP_UNLIKELY(worker == nullptr || (static_cast<uint32_t>(flags) & ~kUsual) != 0 ||
                     !has_free_block(worker, payload_bytes, shareds_bytes)))
    return __kmpc_omp_task_alloc(location, gtid, flags, payload_bytes, shareds_bytes, entry);
  return task_allocate_inline(worker, static_cast<uint32_t>(flags), payload_bytes, shareds_bytes, entry);
}

CHOMP_EXPORT int32_t inlined___kmpc_omp_task(Location* location, int32_t gtid, void* payload) {
  Worker* worker = worker_here();
  Task* task = Task::of_payload(payload);
  if (CHOMP_UNLIKELY(worker == nullptr || task == worker->current || task->is(kSlowAtSpawn)))
    return __kmpc_omp_task(location, gtid, payload);
  Member* member = worker->member;
  Spawned spawned = spawn_quick(worker, member, task);
  if (CHOMP_UNLIKELY(spawned == Spawned::kRefused)) return table_in_library.spawn_slow(worker, member, task);
  if (CHOMP_UNLIKELY(spawned == Spawned::kIsRequested)) return table_in_library.spawn_published(worker, member);
  return kCurrentNotQueued;
}

CHOMP_EXPORT int32_t inlined___kmpc_omp_taskwait(Location* location, int32_t gtid) {
  Worker* worker = worker_here();
  if (CHOMP_UNLIKELY(worker == nullptr)) return __kmpc_omp_taskwait(location, gtid);
  Task* task = worker->current;
  if (CHOMP_LIKELY(has_children(task))) return table_in_library.wait_for_children(worker, task);
  if (CHOMP_UNLIKELY(task->is(kObserved | kRecords) || task->extra != nullptr))
    return __kmpc_omp_taskwait(location, gtid);
  return kCurrentNotQueued;
}
