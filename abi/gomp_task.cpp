// Entry points of tasks, for code compiled by GCC: task, taskwait, taskyield, taskgroup, taskloop. Clang's code asks
// for a task and fills it. GCC's code passes a struct of arguments and the size of a copy. So here the payload of our
// task holds GCC's function and, behind it, the copy. GCC never cuts an untied task into parts.
#include <string.h>

#include "abi/abi.h"
#include "abi/gomp_depend.h"
#include "abi/gomp_reduction.h"
#include "runtime/observe/announced.h"
#include "runtime/core/events.h"
#include "runtime/wait/work_loop.h"
#include "runtime/core/program_call.h"
#include "runtime/stacks/stack.h"
#include "runtime/tasks/task_alloc.h"
#include "runtime/tasks/task_detach.h"
#include "runtime/tasks/task_spawn.h"
#include "runtime/tasks/taskgroup.h"
#include "runtime/tasks/taskloop.h"

using namespace chomp;
using chomp::abi::Argument;
using chomp::abi::with_dependences;

namespace {

#define CHOMP_HOT CHOMP_EXPORT __attribute__((flatten))

using Body = BodyPayload::Body;
using CopyArguments = void (*)(void* to, void* from);
using EventHandle = uintptr_t; // omp_event_handle_t

enum GccTaskFlags : unsigned {
  kGccUntied = 1u << 0,
  kGccFinal = 1u << 1, // the clause's expression was true
  kGccMergeable = 1u << 2,
  kGccDepend = 1u << 3,
  kGccPriority = 1u << 4,
  kGccUp = 1u << 8, // taskloop: the step is positive
  kGccGrainsize = 1u << 9,
  kGccIf = 1u << 10, // taskloop: there is no if clause, or its expression was true
  kGccNogroup = 1u << 11,
  kGccReduction = 1u << 12,
  kGccDetach = 1u << 13,
  kGccStrict = 1u << 14,
};

// ---- The payload ----------------------------------------------------------------------------------------------------

/// `shareds` is what the body gets: the copy of the arguments, behind the payload.
struct GccPayload : BodyPayload {
  /// `copy` copies arguments that are objects; else it is null. The body destroys such copies, so it has to run.
  void init(Body gcc_body, CopyArguments copy, Task* task) {
    set_body(gcc_body);
    data1.destructors = nullptr;
    if (copy != nullptr) task->flags |= kDestructors;
  }
};
constexpr long kPlainAlignment = 16; // of what follows the payload, in any block
static_assert((sizeof(Task) + sizeof(GccPayload)) % size_t{kPlainAlignment} == 0);

/// Nobody reads what it returns, so that it can end with a jump.
int32_t run_gcc_task(int32_t, void* payload) {
  auto task = static_cast<GccPayload*>(payload);
  return reinterpret_cast<int32_t (*)(void*)>(reinterpret_cast<uintptr_t>(task->body))(task->shareds);
}

/// Room for arguments with a stricter alignment, wherever the block lies.
size_t room_for(size_t bytes, size_t alignment) {
  return alignment <= size_t{kPlainAlignment} ? bytes : bytes + alignment - size_t{kPlainAlignment};
}

void* align_up(void* place, size_t alignment) {
  auto address = reinterpret_cast<uintptr_t>(place);
  return reinterpret_cast<void*>((address + alignment - 1) & ~(alignment - 1));
}

/// A task has few arguments, mostly whole words, so they are copied without a call.
inline void copy_bytes(void* to, const void* from, size_t bytes) {
  auto target = static_cast<char*>(to);
  auto source = static_cast<const char*>(from);
#pragma clang loop unroll(disable) vectorize(disable)
  for (; bytes >= sizeof(uint64_t); bytes -= sizeof(uint64_t)) {
    __builtin_memcpy_inline(target, source, sizeof(uint64_t));
    target += sizeof(uint64_t);
    source += sizeof(uint64_t);
  }
  if (CHOMP_UNLIKELY(bytes != 0)) memcpy(target, source, bytes);
}

uint32_t our_flags(unsigned flags) {
  uint32_t ours = (flags & kGccUntied) == 0 ? kTied : 0;
  if ((flags & kGccFinal) != 0) ours |= kFinal;
  if ((flags & kGccPriority) != 0) ours |= kPrioritySpecified;
  if ((flags & kGccDetach) != 0) ours |= kDetachable;
  return ours; // a mergeable task is like any other
}

// ---- task -----------------------------------------------------------------------------------------------------------

/// What GOMP_task makes a task of. Callers that are older than a clause do not pass its argument. So the last three are
/// read where they lie, and only if their flag is set.
struct GccTask {
  Body body;
  void* arguments;
  CopyArguments copy;
  size_t bytes, alignment;
  bool deferred;
  unsigned flags;
  void** const& depend;
  const int& priority;
  EventHandle* const& event;
};

Task* make_task(Worker* worker, const GccTask& what) {
  size_t room = room_for(what.bytes, what.alignment);
  Task* task = task_allocate(worker, our_flags(what.flags), sizeof(GccPayload), room, run_gcc_task);
  auto payload = static_cast<GccPayload*>(task->payload());
  payload->init(what.body, what.copy, task);
  payload->data2.priority = (what.flags & kGccPriority) != 0 ? what.priority : 0;
  if (what.bytes == 0) return task;
  payload->shareds = align_up(payload->shareds, what.alignment);
  if (what.copy != nullptr)
    what.copy(payload->shareds, what.arguments);
  else
    memcpy(payload->shareds, what.arguments, what.bytes);
  return task;
}

/// Writes the event's handle to the program's variable and to the copy of that, which is the first argument.
void make_detachable(Worker* worker, Task* task, const GccTask& what) {
  auto handle = reinterpret_cast<EventHandle>(detach_event(worker, task));
  *what.event = handle;
  if (what.bytes >= sizeof handle) memcpy(task->payload()->shareds, &handle, sizeof handle);
}

/// For a thread that chomp does not know yet, for arguments that are objects or aligned, and for clauses.
__attribute__((noinline, cold)) void spawn_gcc_task_slow(const GccTask& what, const void* site) {
  Worker* worker = this_worker();
  ProgramCall call(worker, site, __builtin_frame_address(0));
  Task* task = make_task(worker, what);
  if (CHOMP_UNLIKELY(task->is(kObserved)) && (what.flags & kGccMergeable) != 0) event_note_mergeable(task);
  if ((what.flags & kGccDetach) != 0) make_detachable(worker, task, what);
  with_dependences(worker, (what.flags & kGccDepend) != 0 ? what.depend : nullptr, [&](const DependenceList& list) {
    if (!what.deferred) return task_run_undeferred(worker, task, list);
    task_spawn_with_dependences(worker, task, list);
  });
}

TaskPayload::Entry routine_of(Body body) {
  return reinterpret_cast<TaskPayload::Entry>(reinterpret_cast<uintptr_t>(body));
}

/// Nobody calls the task's routine, since the program's function runs here. The arguments need no copy.
__attribute__((noinline, cold)) void run_undeferred_slow(Worker* worker, uint32_t flags, Body body, void* arguments,
                                                         const void* site) {
  auto payload =
      static_cast<BodyPayload*>(task_allocate(worker, flags, sizeof(BodyPayload), 0, routine_of(body))->payload());
  payload->set_body(body);
  Task* task = Task::of_payload(payload);
  task_begin_undeferred(worker, task, site, reinterpret_cast<const void*>(stack_pointer()));
  body(arguments);
  task_complete_undeferred(worker, task);
}

inline void run_plain_undeferred(Worker* worker, uint32_t flags, Body body, void* arguments, const void* site) {
  if (CHOMP_UNLIKELY(announcing() || !may_begin_quickly(worker, sizeof(BodyPayload))))
    return run_undeferred_slow(worker, flags, body, arguments, site);
  Task* task = begin_undeferred_quickly(worker, flags, sizeof(BodyPayload), routine_of(body));
  body(arguments);
  task_complete_undeferred(worker, task);
}

// A task without clauses is one of these three. GOMP_task jumps to them with what is in registers, mostly in its own
// order, so that it needs no frame: programs end their recursion by if clauses, and a team of one runs each task at its
// creation.

__attribute__((noinline)) void run_plain_task(Body body, void* arguments, Worker* worker, size_t, uint32_t flags,
                                              const void* site) {
  run_plain_undeferred(worker, flags, body, arguments, site);
}

__attribute__((noinline, flatten)) void spawn_plain_task(Body body, void* arguments, Worker* worker, size_t bytes,
                                                         uint32_t flags, const void* site) {
  auto payload = static_cast<GccPayload*>(task_allocate_inline(worker, flags, sizeof(GccPayload), bytes, run_gcc_task));
  payload->set_body(body);
  copy_bytes(payload + 1, arguments, bytes);
  task_spawn_inline(worker, Task::of_payload(payload), site);
}

__attribute__((noinline)) void spawn_plain_task_in_team(Body body, void* arguments, Worker* worker, size_t bytes,
                                                        uint32_t flags, const void* site) {
  if (CHOMP_UNLIKELY(!runs_at_creation(worker))) return spawn_plain_task(body, arguments, worker, bytes, flags, site);
  run_plain_task(body, arguments, worker, bytes, flags, site);
}

/// The deque is full, as far as is known. That of a thread alone takes none.
__attribute__((noinline, flatten)) void spawn_plain_task_at_bound(Body body, void* arguments, Worker* worker,
                                                                  size_t bytes, uint32_t flags, const void* site) {
  if (CHOMP_UNLIKELY(!worker->member->alone || must_run_slow(worker)))
    return spawn_plain_task_in_team(body, arguments, worker, bytes, flags, site);
  run_plain_undeferred(worker, flags, body, arguments, site);
}

} // namespace

CHOMP_HOT void GOMP_task(Body body, void* arguments, CopyArguments copy, long bytes, long alignment,
                         Argument<bool> deferred, unsigned flags, void** depend, int priority, EventHandle* event) {
  Worker* worker = tls_worker;
  const unsigned clauses = flags & ~kGccUntied; // mergeable tasks go the slow way, as in kmpc_task.cpp
  if (CHOMP_UNLIKELY(worker == nullptr || copy != nullptr || alignment > kPlainAlignment ||
                     (clauses != 0 && (clauses != kGccPriority || priorities_count(worker)))))
    return spawn_gcc_task_slow({body, arguments, copy, static_cast<size_t>(bytes), static_cast<size_t>(alignment),
                                deferred, flags, depend, priority, event},
                               __builtin_return_address(0));
  const uint32_t ours = (flags & kGccUntied) == 0 ? kTied : 0;
  const auto size = static_cast<size_t>(bytes);
  const void* site = __builtin_return_address(0);
  if (!deferred) return run_plain_task(body, arguments, worker, size, ours, site);
  if (CHOMP_UNLIKELY(worker->member->deque.full()))
    return spawn_plain_task_at_bound(body, arguments, worker, size, ours, site);
  spawn_plain_task(body, arguments, worker, size, ours, site);
}

// ---- taskwait, taskyield, taskgroup ---------------------------------------------------------------------------------

CHOMP_EXPORT void GOMP_taskwait() { task_wait(this_worker()); }

CHOMP_EXPORT void GOMP_taskwait_depend(void** depend) {
  Worker* worker = this_worker();
  CHOMP_PROGRAM_CALL(worker);
  with_dependences(worker, depend, [&](const DependenceList& list) { wait_for_dependences(worker, list); });
}

/// Makes an empty task in place of the wait.
CHOMP_EXPORT void GOMP_taskwait_depend_nowait(void** depend) {
  Worker* worker = this_worker();
  CHOMP_PROGRAM_CALL(worker);
  with_dependences(worker, depend,
                   [&](const DependenceList& list) { spawn_empty_task_with_dependences(worker, list); });
}

/// Nobody reads what it returns.
CHOMP_EXPORT int32_t GOMP_taskyield() { return taskyield(); }

CHOMP_EXPORT void GOMP_taskgroup_start() { begin_taskgroup(__builtin_return_address(0), __builtin_frame_address(0)); }

CHOMP_EXPORT void GOMP_taskgroup_end() { end_taskgroup(__builtin_return_address(0), __builtin_frame_address(0)); }

// ---- taskloop -------------------------------------------------------------------------------------------------------

namespace {

/// The first words of a taskloop's arguments; each task has its own bounds in its copy.
struct LoopArguments {
  uint64_t begin, end; // `end` is not reached
  CompiledReduction* reduction;
};

/// The payload of a pattern and of its tasks where the compiler copies the arguments (C++ objects may point into
/// themselves): each task copies them from the compiler's struct. Else a task is a bitwise copy of the pattern, a
/// GccPayload with the arguments behind it.
struct LoopPayload : GccPayload {
  CopyArguments copy; // or null
  void* arguments;
  size_t bytes, alignment;
  uint64_t lower, upper, stride;
};

int32_t run_gcc_loop_task(int32_t, void* payload) {
  auto task = static_cast<LoopPayload*>(payload);
  auto arguments = static_cast<LoopArguments*>(task->shareds);
  arguments->begin = task->lower;
  arguments->end = task->upper + task->stride;
  task->body(arguments);
  return 0;
}

/// Taskloop::Duplicate. GCC's tasks find out themselves whether they have the last iteration.
void fill_loop_task(void* task_payload, void*, int32_t) {
  auto payload = static_cast<LoopPayload*>(task_payload);
  payload->shareds = align_up(payload + 1, payload->alignment);
  if (payload->copy != nullptr)
    payload->copy(payload->shareds, payload->arguments);
  else
    memcpy(payload->shareds, payload->arguments, payload->bytes);
}

/// What GOMP_taskloop and GOMP_taskloop_ull are called with.
struct GccTaskloop {
  Body body;
  void* arguments;
  CopyArguments copy;
  size_t bytes, alignment;
  unsigned flags;
  uint64_t amount; // grainsize or number of tasks, 0: neither
  int priority;
  uint64_t begin, step, trips;
};

/// Whether tasks are bitwise copies of the pattern, wherever their blocks lie.
bool is_bitwise(const GccTaskloop& what) {
  return what.copy == nullptr && what.alignment <= static_cast<size_t>(kPlainAlignment);
}

/// A pattern, and where its bounds are. `end`: the first iteration that is not reached.
struct Pattern {
  Task* task;
  uint64_t *lower, *upper;
  uint64_t beyond; // Taskloop::beyond
};

Pattern make_bitwise_pattern(Worker* worker, const GccTaskloop& what, uint64_t end) {
  Task* task = task_allocate(worker, our_flags(what.flags), sizeof(GccPayload) + what.bytes, 0, run_gcc_task);
  auto payload = static_cast<GccPayload*>(task->payload());
  auto arguments = reinterpret_cast<LoopArguments*>(payload + 1);
  payload->shareds = arguments;
  memcpy(payload->shareds, what.arguments, what.bytes);
  arguments->begin = what.begin;
  arguments->end = end;
  return {task, &arguments->begin, &arguments->end, what.step};
}

Pattern make_copied_pattern(Worker* worker, const GccTaskloop& what, uint64_t end) {
  size_t bytes = sizeof(LoopPayload) + what.bytes + what.alignment;
  Task* task = task_allocate(worker, our_flags(what.flags), bytes, 0, run_gcc_loop_task);
  auto payload = static_cast<LoopPayload*>(task->payload());
  payload->copy = what.copy;
  payload->arguments = what.arguments;
  payload->bytes = what.bytes;
  payload->alignment = what.alignment;
  payload->lower = what.begin;
  payload->upper = end - what.step;
  payload->stride = what.step;
  return {task, &payload->lower, &payload->upper, 0};
}

Pattern make_pattern(Worker* worker, const GccTaskloop& what) {
  uint64_t end = what.begin + what.trips * what.step;
  Pattern pattern = is_bitwise(what) ? make_bitwise_pattern(worker, what, end) : make_copied_pattern(worker, what, end);
  auto payload = static_cast<GccPayload*>(pattern.task->payload());
  payload->data2.priority = (what.flags & kGccPriority) != 0 ? what.priority : 0;
  payload->init(what.body, what.copy, pattern.task);
  if (CHOMP_UNLIKELY(pattern.task->is(kObserved)) && (what.flags & kGccMergeable) != 0)
    event_note_mergeable(pattern.task);
  return pattern;
}

Taskloop::Partition partition_of(const GccTaskloop& what) {
  if (what.amount == 0) return Taskloop::kDefault;
  return (what.flags & kGccGrainsize) != 0 ? Taskloop::kGrainsize : Taskloop::kNumTasks;
}

void run_gcc_taskloop(const GccTaskloop& what, const void* site, const void* frame) {
  CompiledReduction* reduction =
      (what.flags & kGccReduction) != 0 ? static_cast<LoopArguments*>(what.arguments)->reduction : nullptr;
  if (what.trips == 0) {
    if (reduction != nullptr) reduction->blocks = 0; // the compiled code has nothing to combine
    return;
  }
  Worker* worker = this_worker();
  ProgramCall call(worker, site, frame);
  const bool in_group = (what.flags & kGccNogroup) == 0;
  if (in_group) taskgroup_begin(worker);
  if (reduction != nullptr) task_reduction_begin(worker, abi::compiled_form(reduction));
  Pattern pattern = make_pattern(worker, what);
  taskloop_run(worker, {.pattern = pattern.task,
                        .lower = pattern.lower,
                        .upper = pattern.upper,
                        .stride = static_cast<int64_t>(what.step),
                        .beyond = pattern.beyond,
                        .partition = partition_of(what),
                        .amount = what.amount,
                        .strict = (what.flags & kGccStrict) != 0,
                        .deferred = (what.flags & kGccIf) != 0,
                        .in_group = false, // begun above, since a reduction belongs to the group
                        .duplicate = is_bitwise(what) ? nullptr : fill_loop_task,
                        .bytes = sizeof(GccPayload) + what.bytes,
                        .unchanged_bytes = sizeof(GccPayload)});
  if (in_group) taskgroup_end(worker);
}

/// The number of iterations from `begin` to before `end`.
template <typename Integer> uint64_t trip_count(Integer begin, Integer end, Integer step, bool up) {
  if (up ? begin >= end : begin <= end) return 0;
  uint64_t distance = up ? static_cast<uint64_t>(end) - static_cast<uint64_t>(begin)
                         : static_cast<uint64_t>(begin) - static_cast<uint64_t>(end);
  uint64_t stride = up ? static_cast<uint64_t>(step) : 0 - static_cast<uint64_t>(step);
  return (distance - 1) / stride + 1;
}

} // namespace

CHOMP_EXPORT void GOMP_taskloop(Body body, void* arguments, CopyArguments copy, long bytes, long alignment,
                                unsigned flags, unsigned long amount, int priority, long begin, long end, long step) {
  const bool up = (flags & kGccUp) != 0;
  // A decrement of `unsigned int` arrives without its sign.
  if (!up && step > 0) step = static_cast<int32_t>(step);
  run_gcc_taskloop({body, arguments, copy, static_cast<size_t>(bytes), static_cast<size_t>(alignment), flags, amount,
                    priority, static_cast<uint64_t>(begin), static_cast<uint64_t>(step),
                    trip_count(begin, end, step, up)},
                   __builtin_return_address(0), __builtin_frame_address(0));
}

CHOMP_EXPORT void GOMP_taskloop_ull(Body body, void* arguments, CopyArguments copy, long bytes, long alignment,
                                    unsigned flags, unsigned long amount, int priority, unsigned long long begin,
                                    unsigned long long end, unsigned long long step) {
  run_gcc_taskloop({body, arguments, copy, static_cast<size_t>(bytes), static_cast<size_t>(alignment), flags, amount,
                    priority, begin, step, trip_count(begin, end, step, (flags & kGccUp) != 0)},
                   __builtin_return_address(0), __builtin_frame_address(0));
}
