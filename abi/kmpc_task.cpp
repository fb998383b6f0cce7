// Entry points of tasks: what Clang calls for task, taskwait, taskyield, taskgroup, taskloop and detach. Compiled code
// caches the gtid that it passes, so it may be another thread's: the worker comes from thread-local storage.
#include "abi/abi.h"
#include "runtime/observe/announced.h"
#include "runtime/core/events.h"
#include "runtime/wait/work_loop.h"
#include "runtime/core/program_call.h"
#include "runtime/stealing/task_affinity.h"
#include "runtime/devices/target_task.h"
#include "runtime/tasks/task_alloc.h"
#include "runtime/tasks/task_detach.h"
#include "runtime/tasks/task_spawn.h"
#include "runtime/tasks/taskgroup.h"
#include "runtime/tasks/taskloop.h"
#include "runtime/tasks/transparent.h"

using namespace chomp;
using chomp::abi::Location;

namespace {

// Inlines the runtime function into the entry point: one call leads from the program to the deque.
#define CHOMP_HOT CHOMP_EXPORT __attribute__((flatten))

/// The compiler's flags (kmp_tasking_flags). Of the usual ones our bits are the same: these need no decoding.
enum KmpcTaskFlags : uint32_t {
  kKmpcTied = 1u << 0,
  kKmpcFinal = 1u << 1,
  // Mergeable. Flang sets it for if(false), too, and does not call such a task by itself (LLVM 22).
  kKmpcMergedIf0 = 1u << 2,
  kKmpcDestructors = 1u << 3,
  kKmpcProxy = 1u << 4,
  kKmpcPriority = 1u << 5,
  kKmpcDetachable = 1u << 6,
  kKmpcThreadsetPool = 1u << 7, // in libomp this bit is the library's own, of a hidden helper's task
  kKmpcTransparent = 1u << 8,   // of any impex-type
  kKmpcUsual = kKmpcTied | kKmpcFinal | kKmpcDestructors | kKmpcDetachable,
};
static_assert(uint32_t{kKmpcTied} == kTied && uint32_t{kKmpcFinal} == kFinal);
static_assert(uint32_t{kKmpcDestructors} == kDestructors && uint32_t{kKmpcPriority} == kPrioritySpecified);
static_assert(uint32_t{kKmpcDetachable} == kDetachable && (kKmpcUsual | kKmpcPriority) == kMakersFlags);

// For a thread that chomp does not know yet, and for rare flags. A proxy task finishes when a thread says so: it is a
// detachable task whose event the program does not see.
__attribute__((noinline, cold)) TaskPayload* allocate_slow_flags(uint32_t flags, size_t payload_bytes,
                                                                 size_t shareds_bytes, TaskPayload::Entry entry) {
  Worker* worker = this_worker();
  uint32_t ours = flags & (priorities_count(worker) ? kKmpcUsual | kKmpcPriority : kKmpcUsual);
  if ((flags & kKmpcProxy) == 0) {
    TaskPayload* payload = task_allocate_inline(worker, ours, payload_bytes, shareds_bytes, entry);
    Task* task = Task::of_payload(payload);
    if ((flags & kKmpcThreadsetPool) != 0) task->flags |= kPool;
    if ((flags & kKmpcTransparent) != 0) transparent_make(worker, task);
    if ((flags & kKmpcMergedIf0) != 0) task_runs_at_once(task);
    if (CHOMP_UNLIKELY(task->is(kObserved)) && (flags & kKmpcMergedIf0) != 0) event_note_mergeable(task);
    return payload;
  }
  Task* task = task_allocate(worker, ours | kDetachable, payload_bytes, shareds_bytes, entry);
  detach_event(worker, task);
  return task->payload();
}

inline TaskPayload* allocate(uint32_t flags, size_t payload_bytes, size_t shareds_bytes, TaskPayload::Entry entry) {
  Worker* worker = tls_worker;
  if (CHOMP_UNLIKELY(worker == nullptr || (flags & ~uint32_t{kKmpcUsual}) != 0))
    return allocate_slow_flags(flags, payload_bytes, shareds_bytes, entry);
  return task_allocate_inline(worker, flags, payload_bytes, shareds_bytes, entry);
}

} // namespace

// ---- task -----------------------------------------------------------------------------------------------------------

CHOMP_HOT TaskPayload* __kmpc_omp_task_alloc(Location*, int32_t, int32_t flags, size_t payload_bytes,
                                             size_t shareds_bytes, TaskPayload::Entry entry) {
  return allocate(static_cast<uint32_t>(flags), payload_bytes, shareds_bytes, entry);
}

CHOMP_EXPORT TaskPayload* __kmpc_omp_target_task_alloc(Location*, int32_t, int32_t flags, size_t payload_bytes,
                                                       size_t shareds_bytes, TaskPayload::Entry entry, int64_t) {
  TaskPayload* payload = allocate(static_cast<uint32_t>(flags) & ~uint32_t{kKmpcTied}, payload_bytes, shareds_bytes,
                                  entry); // a target task is untied
  target_task_made(Task::of_payload(payload));
  return payload;
}

/// This thread has allocated the task, so chomp knows the thread.
CHOMP_HOT int32_t __kmpc_omp_task(Location*, int32_t, void* payload) {
  return task_spawn_inline(tls_worker, Task::of_payload(payload), __builtin_return_address(0));
}

CHOMP_EXPORT int32_t __kmpc_omp_task_parts(Location*, int32_t, void* payload) {
  return task_spawn_inline(tls_worker, Task::of_payload(payload), __builtin_return_address(0));
}

/// Entered by a jump, so the frame around this one is that of the program, which will call the task. A program without
/// frame pointers has any number there, perhaps 0: then it is this frame, which lies right below.
static __attribute__((noinline, cold)) void begin_if0_for_tool(void* payload, const void* site) {
  const void* here = __builtin_frame_address(0);
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wframe-address"
  const void* frame = __builtin_frame_address(1);
#pragma clang diagnostic pop
  task_begin_undeferred(this_worker(), Task::of_payload(payload), site, frame > here ? frame : here,
                        FrameOwner::kProgram);
}

CHOMP_EXPORT void __kmpc_omp_task_begin_if0(Location*, int32_t, void* payload) {
  if (announcing()) return begin_if0_for_tool(payload, __builtin_return_address(0));
  task_begin_undeferred(this_worker(), Task::of_payload(payload));
}

CHOMP_EXPORT void __kmpc_omp_task_complete_if0(Location*, int32_t, void* payload) {
  task_complete_undeferred(this_worker(), Task::of_payload(payload));
}

CHOMP_EXPORT int32_t __kmpc_omp_reg_task_with_affinity(Location*, int32_t, void* payload, int32_t count,
                                                       const AffinityItem* items) {
  task_note_affinity(this_worker(), Task::of_payload(payload), count, items);
  return 0;
}

// ---- taskwait, taskyield, taskgroup ---------------------------------------------------------------------------------

CHOMP_EXPORT int32_t __kmpc_omp_taskwait(Location*, int32_t) { return task_wait(tls_worker); }

CHOMP_EXPORT int32_t __kmpc_omp_taskyield(Location*, int32_t, int) { return taskyield(); }

CHOMP_EXPORT void __kmpc_taskgroup(Location*, int32_t) {
  begin_taskgroup(__builtin_return_address(0), __builtin_frame_address(0));
}

CHOMP_EXPORT void __kmpc_end_taskgroup(Location*, int32_t) {
  end_taskgroup(__builtin_return_address(0), __builtin_frame_address(0));
}

// ---- taskloop -------------------------------------------------------------------------------------------------------

static Taskloop loop_of(void* pattern, int if_clause, uint64_t* lower, uint64_t* upper, int64_t stride, int nogroup,
                        int partition, uint64_t amount, int strict, Taskloop::Duplicate duplicate) {
  return {.pattern = Task::of_payload(pattern),
          .lower = lower,
          .upper = upper,
          .stride = stride,
          .partition = static_cast<Taskloop::Partition>(partition),
          .amount = amount,
          .strict = strict != 0,
          .deferred = if_clause != 0,
          .in_group = nogroup == 0,
          .duplicate = duplicate};
}

CHOMP_EXPORT void __kmpc_taskloop_5(Location*, int32_t, void* pattern, int if_clause, uint64_t* lower, uint64_t* upper,
                                    int64_t stride, int nogroup, int partition, uint64_t amount, int strict,
                                    Taskloop::Duplicate duplicate) {
  Worker* worker = this_worker();
  CHOMP_PROGRAM_CALL(worker);
  taskloop_run(worker,
               loop_of(pattern, if_clause, lower, upper, stride, nogroup, partition, amount, strict, duplicate));
}

CHOMP_EXPORT void __kmpc_taskloop(Location*, int32_t, void* pattern, int if_clause, uint64_t* lower, uint64_t* upper,
                                  int64_t stride, int nogroup, int partition, uint64_t amount,
                                  Taskloop::Duplicate duplicate) {
  Worker* worker = this_worker();
  CHOMP_PROGRAM_CALL(worker);
  taskloop_run(worker, loop_of(pattern, if_clause, lower, upper, stride, nogroup, partition, amount, 0, duplicate));
}

// ---- Completion from elsewhere --------------------------------------------------------------------------------------

CHOMP_EXPORT DetachEvent* __kmpc_task_allow_completion_event(Location*, int32_t, void* payload) {
  return detach_event(this_worker(), Task::of_payload(payload));
}

CHOMP_EXPORT void omp_fulfill_event(DetachEvent* event) { detach_fulfill(this_worker(), event); }

CHOMP_EXPORT void __kmpc_proxy_task_completed(int32_t, void* payload) {
  proxy_task_completed(this_worker(), Task::of_payload(payload));
}

/// The same from a thread outside the team.
CHOMP_EXPORT void __kmpc_proxy_task_completed_ooo(void* payload) {
  proxy_task_completed(this_worker(), Task::of_payload(payload));
}

// ---- What libomptarget asks -----------------------------------------------------------------------------------------

/// Where the current task keeps the handle of a target region that is still on the device. Null: the caller waits.
CHOMP_EXPORT void** __kmpc_omp_get_target_async_handle_ptr(int32_t) { return target_handle(this_worker()); }

/// Whether the current task may end while its target region is still on the device.
CHOMP_EXPORT bool __kmpc_omp_has_task_team(int32_t) { return target_handle(this_worker()) != nullptr; }
