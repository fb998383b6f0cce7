// The quick halves of entry points, as `chomp cc --inline` puts them into programs: calls of the runtime's
// own inline functions, and the entry point itself for all else, so that tools see the program's call sites. The build
// makes lib/chomp-inline.bc of this file (tools/releasing/cmake/InlinedTasks.cmake), which renames inlined_NAME to
// NAME; the library has none of it. Nothing outside chomp_inline_abi_4 and the entry points may be left undefined.
#include "abi/abi.h"
#include "runtime/core/team.h"
#include "runtime/core/worker.h"
#include "runtime/loops/loop_calls.h"
#include "runtime/loops/single.h"
#include "runtime/sync/sync.h"
#include "runtime/tasks/task_alloc.h"
#include "runtime/tasks/task_spawn.h"
#include "runtime/teams/barrier.h"
#include "runtime/wait/inlined.h"
#include "runtime/wait/work_loop.h"

using namespace chomp;
using chomp::abi::Location;

// The program's view. The build tells the compiler that it is constant, since it stays what it is once it is used.
extern "C" __attribute__((weak)) InlinedTable table_in_library __asm__("chomp_inline_abi_4");

extern "C" {
int32_t __kmpc_global_thread_num(Location* location);
TaskPayload* __kmpc_omp_task_alloc(Location* location, int32_t gtid, int32_t flags, size_t payload_bytes,
                                   size_t shareds_bytes, TaskPayload::Entry entry);
int32_t __kmpc_omp_task(Location* location, int32_t gtid, void* payload);
int32_t __kmpc_omp_taskwait(Location* location, int32_t gtid);
void __kmpc_omp_task_begin_if0(Location* location, int32_t gtid, void* payload);
void __kmpc_omp_task_complete_if0(Location* location, int32_t gtid, void* payload);
}

namespace {

/// The calling thread's record; null if this library has another table, or does not know the thread. Read anew at each
/// call of the program, since a suspended task may go on in another thread.
inline Worker* worker_here() {
  if (CHOMP_UNLIKELY(&table_in_library == nullptr)) return nullptr;
  const intptr_t offset = *reinterpret_cast<const intptr_t*>(&table_in_library.worker_offset);
  if (CHOMP_UNLIKELY(offset == 0)) return nullptr;
#if defined(__x86_64__)
  using InThread = Worker* __attribute__((address_space(257))); // relative to %fs
  return *reinterpret_cast<InThread*>(offset);
#else
  intptr_t thread; // volatile: Clang keeps __builtin_thread_pointer() over calls
  asm volatile("mrs %0, tpidr_el0" : "=r"(thread));
  return *reinterpret_cast<Worker**>(thread + offset);
#endif
}

inline bool allocates_quickly(const Worker* worker, int32_t flags, size_t payload_bytes, size_t shareds_bytes) {
  constexpr uint32_t kUsual = kMakersFlags & ~kPrioritySpecified;
  return worker != nullptr && (static_cast<uint32_t>(flags) & ~kUsual) == 0 &&
         has_free_block(worker, payload_bytes, shareds_bytes);
}

/// Whether a taskwait of this task, which has no children, is for the entry point all the same.
inline bool waits_slowly(const Task* task) { return task->is(kObserved | kRecords) || task->extra != nullptr; }

} // namespace

CHOMP_EXPORT int32_t inlined___kmpc_global_thread_num(Location* location) {
  const Worker* worker = worker_here();
  return CHOMP_LIKELY(worker != nullptr) ? worker->gtid : __kmpc_global_thread_num(location);
}

CHOMP_EXPORT TaskPayload* inlined___kmpc_omp_task_alloc(Location* location, int32_t gtid, int32_t flags,
                                                        size_t payload_bytes, size_t shareds_bytes,
                                                        TaskPayload::Entry entry) {
  Worker* worker = worker_here();
  if (CHOMP_UNLIKELY(!allocates_quickly(worker, flags, payload_bytes, shareds_bytes)))
    return __kmpc_omp_task_alloc(location, gtid, flags, payload_bytes, shareds_bytes, entry);
  return task_allocate_inline(worker, static_cast<uint32_t>(flags), payload_bytes, shareds_bytes, entry);
}

CHOMP_EXPORT int32_t inlined___kmpc_omp_task(Location* location, int32_t gtid, void* payload) {
  Worker* worker = worker_here();
  Task* task = Task::of_payload(payload);
  if (CHOMP_UNLIKELY(worker == nullptr || task == worker->current || task->is(kSlowAtSpawn))) {
    if (worker == nullptr || task != worker->current || worker->current->is(kCalledByProgram))
      return __kmpc_omp_task(location, gtid, payload);
    worker->current->flags |= kSelfRequeued; // as spawn_next_part()
    return kCurrentNotQueued;
  }
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
  if (CHOMP_UNLIKELY(waits_slowly(task))) return __kmpc_omp_taskwait(location, gtid);
  return kCurrentNotQueued;
}

CHOMP_EXPORT void inlined___kmpc_omp_task_begin_if0(Location* location, int32_t gtid, void* payload) {
  Worker* worker = worker_here();
  Task* task = Task::of_payload(payload);
  if (CHOMP_UNLIKELY(worker == nullptr || task->is(kSlowAtUndeferred)))
    return __kmpc_omp_task_begin_if0(location, gtid, payload);
  task->flags |= kCalledByProgram | kUncounted;
  begin_undeferred_quick(worker, task);
}

CHOMP_EXPORT void inlined___kmpc_omp_task_complete_if0(Location* location, int32_t gtid, void* payload) {
  Worker* worker = worker_here();
  Task* task = Task::of_payload(payload);
  if (CHOMP_UNLIKELY(worker == nullptr || !completes_quickly(task)))
    return __kmpc_omp_task_complete_if0(location, gtid, payload);
  end_undeferred(worker, task);
  free_task_made_here(worker, task);
}

// ---- Loops, locks, barriers -----------------------------------------------------------------------------------------

namespace {

/// Whether nobody observes constructs, and no region can be cancelled.
inline bool inlines_constructs() {
  if (CHOMP_UNLIKELY(&table_in_library == nullptr)) return false;
  return CHOMP_LIKELY(!constructs_are_calls(table_in_library));
}

/// The calling thread's record; null if the construct is for the entry point.
inline Worker* worker_in_construct() {
  Worker* worker = worker_here();
  return worker != nullptr && inlines_constructs() ? worker : nullptr;
}

} // namespace

// An entry point takes the lock, or frees it, where the inlined code finds that somebody else has it, or waits.
#define LOCKS(set, unset, parameters, arguments, object)                                                               \
  extern "C" void set parameters;                                                                                      \
  extern "C" void unset parameters;                                                                                    \
  CHOMP_EXPORT void inlined_##set parameters {                                                                         \
    if (!inlines_constructs() || CHOMP_UNLIKELY(!lock_in(object)->take())) set arguments;                              \
  }                                                                                                                    \
  CHOMP_EXPORT void inlined_##unset parameters {                                                                       \
    if (!inlines_constructs() || CHOMP_UNLIKELY(!lock_in(object)->release())) unset arguments;                         \
  }
LOCKS(omp_set_lock, omp_unset_lock, (void** lock), (lock), lock)
LOCKS(__kmpc_critical, __kmpc_end_critical, (Location * location, int32_t gtid, void* name), (location, gtid, name),
      name)

extern "C" {
int32_t __kmpc_single(Location* location, int32_t gtid);
void __kmpc_end_single(Location* location, int32_t gtid);
void __kmpc_barrier(Location* location, int32_t gtid);
void __kmpc_for_static_fini(Location* location, int32_t gtid);
}

CHOMP_EXPORT int32_t inlined___kmpc_single(Location* location, int32_t gtid) {
  Worker* worker = worker_in_construct();
  return CHOMP_LIKELY(worker != nullptr) ? single_begin(worker) : __kmpc_single(location, gtid);
}

CHOMP_EXPORT void inlined___kmpc_end_single(Location* location, int32_t gtid) {
  if (!inlines_constructs()) __kmpc_end_single(location, gtid);
}

CHOMP_EXPORT void inlined___kmpc_barrier(Location* location, int32_t gtid) {
  Worker* worker = worker_in_construct();
  if (worker == nullptr || !barrier_passed(worker)) return __kmpc_barrier(location, gtid);
  ++worker->member->worksharing.barriers; // as counted_barrier()
}

CHOMP_EXPORT void inlined___kmpc_for_static_fini(Location* location, int32_t gtid) {
  if (!inlines_constructs()) __kmpc_for_static_fini(location, gtid);
}

#define STATIC_LOOPS(suffix, T)                                                                                        \
  extern "C" void __kmpc_for_static_init_##suffix(Location* location, int32_t gtid, int32_t schedule, int32_t* last,   \
                                                  T* lower, T* upper, SignedOf<T>* stride, SignedOf<T> increment,      \
                                                  SignedOf<T> chunk);                                                  \
  CHOMP_EXPORT void inlined___kmpc_for_static_init_##suffix(Location* location, int32_t gtid, int32_t schedule,        \
                                                            int32_t* last, T* lower, T* upper, SignedOf<T>* stride,    \
                                                            SignedOf<T> increment, SignedOf<T> chunk) {                \
    Worker* worker = worker_in_construct();                                                                            \
    if (CHOMP_UNLIKELY(schedule != kCodeStatic || worker == nullptr ||                                                 \
                       worker->member->worksharing.doacross.shared != nullptr))                                        \
      return __kmpc_for_static_init_##suffix(location, gtid, schedule, last, lower, upper, stride, increment, chunk);  \
    static_bounds<T>(worker->member, schedule, last, lower, upper, stride, increment, chunk);                          \
  }
STATIC_LOOPS(4, int32_t)
STATIC_LOOPS(4u, uint32_t)
STATIC_LOOPS(8, int64_t)
STATIC_LOOPS(8u, uint64_t)

// ---- Where the pass has looked at the program (tools/shipped/inline) ------------------------------------------------
//
// It puts these in place of the entry points, and knows which code a task has. `here` is a variable of the function
// that calls: the thread's worker, read when nothing else has been called since (chomp_inline_worker()), and again
// after each slow half, in which a suspended task may come to another thread. The gtid is asked for where it is needed.
#define CHOMP_PASS CHOMP_EXPORT __attribute__((always_inline, used)) // used: linked though nothing calls it yet

CHOMP_PASS void inlined_chomp_inline_worker(Worker** here) { *here = worker_here(); }

CHOMP_PASS TaskPayload* inlined_chomp_inline_task_alloc(Worker** here, Location* location, int32_t flags,
                                                        size_t payload_bytes, size_t shareds_bytes,
                                                        TaskPayload::Entry entry) {
  Worker* worker = *here;
  if (CHOMP_LIKELY(allocates_quickly(worker, flags, payload_bytes, shareds_bytes)))
    return task_allocate_inline(worker, static_cast<uint32_t>(flags), payload_bytes, shareds_bytes, entry);
  TaskPayload* payload =
      __kmpc_omp_task_alloc(location, __kmpc_global_thread_num(location), flags, payload_bytes, shareds_bytes, entry);
  *here = worker_here();
  return payload;
}

namespace {

/// run_task_here() for a task with the code `entry`, or perhaps `other`. One that is not `counted` counts at its
/// parent, the current task, only if it leaves something behind.
__attribute__((always_inline)) inline void run_known(Worker* worker, Member* member, Task* task, uint64_t top,
                                                     TaskPayload::Entry entry, TaskPayload::Entry other, bool counted) {
  Task* below = worker->current;
  uint64_t floor = member->deque.floor();
  begin_task(worker, member, task, below, top);
  TaskPayload* payload = task->payload();
  bool ends_quickly = false;
  for (;;) {
    if (!counted || CHOMP_LIKELY(payload->routine == entry))
      entry(worker->gtid, payload);
    else if (CHOMP_LIKELY(payload->routine == other))
      other(worker->gtid, payload);
    else
      payload->routine(worker->gtid, payload);
    ends_quickly = !task->is(kSelfRequeued | kSlowAtFinish); // one test for both
    if (CHOMP_LIKELY(ends_quickly)) break;
    if (worker->tasks.yielded == task || !untied_task_goes_on(task)) break;
  }
  Task* parent = counted ? parent_of(task) : below;
  if (CHOMP_UNLIKELY(!ends_quickly || has_counts(task) || (counted && parent->owner() != worker->id))) {
    if (!counted) ++below->local_children;
    return table_in_library.run_rest(worker, member, task, below, floor);
  }
  end_task(worker, member, below, floor);
  if (counted) --parent->local_children;
  free_task_made_here(worker, task);
}

} // namespace

/// The task was allocated by this function, and has the code `entry`. `last`: a taskwait follows. Then it runs at once,
/// as it would there, if nobody requests tasks; and so does any in a team of one.
CHOMP_PASS void inlined_chomp_inline_task(Worker** here, Location* location, void* payload, TaskPayload::Entry entry,
                                          bool last) {
  Worker* worker = *here;
  Task* task = Task::of_payload(payload);
  if (CHOMP_UNLIKELY(worker == nullptr || task->is(kSlowAtSpawn))) {
    __kmpc_omp_task(location, __kmpc_global_thread_num(location), payload);
    *here = worker_here();
    return;
  }
  Member* member = worker->member;
  PrivateDeque& deque = member->deque;
  Spawned spawned = last ? Spawned::kRefused : spawn_quick(worker, member, task);
  if (CHOMP_LIKELY(spawned == Spawned::kWaits)) return;
  if (spawned == Spawned::kRefused && CHOMP_LIKELY(last || deque.bound() == 0) && CHOMP_LIKELY(!member->deals) &&
      CHOMP_LIKELY(!must_run_slow(worker)) && CHOMP_LIKELY(!somebody_requests(member))) {
    if (!last) --worker->current->local_children;
    return run_known(worker, member, task, deque.top(), entry, entry, false);
  }
  if (last) ++worker->current->local_children;
  if (spawned == Spawned::kIsRequested)
    table_in_library.spawn_published(worker, member);
  else
    table_in_library.spawn_slow(worker, member, task);
  *here = worker_here();
}

/// wait_for_children(); the function makes tasks with the code `entry` and `other`.
CHOMP_PASS void inlined_chomp_inline_taskwait(Worker** here, Location* location, TaskPayload::Entry entry,
                                              TaskPayload::Entry other) {
  Worker* worker = *here;
  if (CHOMP_LIKELY(worker != nullptr)) {
    Task* task = worker->current;
    Member* member = worker->member;
    PrivateDeque& deque = member->deque;
    uint64_t floor = deque.floor(), top;
    bool has_more;
    while ((has_more = has_children(task)) && CHOMP_LIKELY(!must_run_slow(worker))) {
      Task* child =
          deque.pop_above(floor, &top, [&](uint64_t index) { return table_in_library.pop_contended(&deque, index); });
      if (CHOMP_UNLIKELY(child == nullptr)) break;
      if (top != floor && CHOMP_UNLIKELY(somebody_requests(member))) table_in_library.spawn_published(worker, member);
      run_known(worker, member, child, top, entry, other, true);
    }
    if (CHOMP_LIKELY(!has_more && !waits_slowly(task))) return;
  }
  __kmpc_omp_taskwait(location, __kmpc_global_thread_num(location));
  *here = worker_here();
}
