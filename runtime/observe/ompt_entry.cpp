// The entry points that a tool gets through its look-up function (OpenMP 5.2, 19.6): callbacks, states, and questions
// about the calling thread, its tasks and places. All but set_callback and finalize_tool are async signal safe: they
// read the calling thread's own records only.
#include <string.h>

#include "runtime/base/os_linux.h"
#include "runtime/machine/topology.h"
#include "runtime/observe/ompt.h"
#include "runtime/core/program_call.h"
#include "runtime/threads/binding.h"
#include "runtime/tasks/task_alloc.h"

namespace chomp::ompt {
namespace {

/// The calling thread, about which the tool asks; null if chomp does not know it, or without a tool.
Worker* known_thread() {
  return tool_attached() && tls_worker != nullptr && tls_worker->observe.tool.begun ? tls_worker : nullptr;
}

// ---- States and kinds of mutexes ------------------------------------------------------------------------------------

struct NamedNumber {
  int number;
  const char* name;
};

constexpr NamedNumber kStates[] = {
    {kUndefined, "ompt_state_undefined"},
    {kWorkSerial, "ompt_state_work_serial"},
    {kWorkParallel, "ompt_state_work_parallel"},
    {kWorkReduction, "ompt_state_work_reduction"},
    {kWaitBarrierParallel, "ompt_state_wait_barrier_implicit_parallel"},
    {kWaitBarrierWorkshare, "ompt_state_wait_barrier_implicit_workshare"},
    {kWaitBarrierExplicit, "ompt_state_wait_barrier_explicit"},
    {kWaitBarrierImplementation, "ompt_state_wait_barrier_implementation"},
    {kWaitTaskwait, "ompt_state_wait_taskwait"},
    {kWaitTaskgroup, "ompt_state_wait_taskgroup"},
    {kWaitLock, "ompt_state_wait_lock"},
    {kWaitCritical, "ompt_state_wait_critical"},
    {kWaitAtomic, "ompt_state_wait_atomic"},
    {kWaitOrdered, "ompt_state_wait_ordered"},
    {kIdle, "ompt_state_idle"},
    {kOverhead, "ompt_state_overhead"},
};

// There is one kind of lock (runtime/sync/README.md): it spins, then queues. An enumeration begins with 0.
constexpr NamedNumber kMutexes[] = {{0, "chomp_mutex_none"}, {2, "chomp_mutex_queuing"}};

/// Finds what follows `current` in the list.
template <size_t count>
int enumerate(const NamedNumber (&list)[count], int current, int* next, const char** next_name) {
  for (size_t i = 0; i + 1 < count; ++i)
    if (list[i].number == current) {
      *next = list[i + 1].number;
      *next_name = list[i + 1].name;
      return 1;
    }
  return 0;
}

int enumerate_states(int current, int* next, const char** name) { return enumerate(kStates, current, next, name); }
int enumerate_mutex_impls(int current, int* next, const char** name) {
  return enumerate(kMutexes, current, next, name);
}

/// Whether a thread of the pool waits for a region. It may have no team yet, take no part in the region of its team, or
/// not know yet that the region has ended.
bool is_idle(const Worker* worker) {
  if (worker->current == nullptr) return true;
  if (worker->thread.is_root) return false;
  // relaxed, both: the own word, and see team.h.
  const Member* assigned = worker->thread.assigned_member.load(std::memory_order_relaxed);
  if (assigned == nullptr) return true;
  if (assigned != worker->member) return false; // in a region of its own
  return !assigned->took_part || (assigned->tool.task.state == kWaitBarrierParallel &&
                                  assigned->team->tool_region_over.load(std::memory_order_relaxed));
}

int get_state(uint64_t* wait_id) {
  const Worker* worker = known_thread();
  if (wait_id != nullptr) *wait_id = 0;
  if (worker == nullptr) return kWorkSerial;
  if (is_idle(worker)) return kIdle;
  const ToolTask* task = current_view(worker);
  if (wait_id != nullptr) *wait_id = task->wait_id;
  if (task->state != 0) return static_cast<int>(task->state);
  return worker->member->team->parent_member != nullptr ? kWorkParallel : kWorkSerial;
}

// ---- Callbacks ------------------------------------------------------------------------------------------------------

int register_callback(int event, Function function) { return set_callback(event, function); }

int get_callback(int event, Function* function) {
  if (!tool_attached() || event <= 0 || event >= kEventCount) return 0;
  Function registered = callbacks[event].load(std::memory_order_relaxed); // relaxed: see callback()
  if (registered == nullptr) return 0;
  if (function != nullptr) *function = registered;
  return 1;
}

// ---- The calling thread, its tasks and regions ----------------------------------------------------------------------

ToolWord* get_thread_data() {
  Worker* worker = known_thread();
  return worker != nullptr ? &worker->observe.tool.data : nullptr;
}

/// chomp's own: of GCC's task or region that is being created, the function; else null. Its call has no line of its
/// own.
const void* get_body() { return tls_worker != nullptr ? tls_worker->observe.tool.body : nullptr; }

uint64_t get_unique_id() {
  if (Worker* worker = tls_worker) return uint64_t{worker->id} << 48 | ++worker->observe.tool.ids;
  static constinit atomic<uint64_t> ids{0};
  return uint64_t{0xffff} << 48 | (ids.fetch_add(1, std::memory_order_relaxed) + 1); // relaxed: only numbers
}

constexpr int kNone = 0, kAvailable = 2;

int get_parallel_info(int level, ToolWord** data, int* size) {
  const Worker* worker = known_thread();
  if (worker == nullptr || level < 0) return kNone;
  Team* team = worker->member->team;
  for (; level > 0; --level) {
    if (team->parent_member == nullptr) return kNone;
    team = team->parent_member->team;
  }
  if (data != nullptr) *data = region_of(team);
  if (size != nullptr) *size = team->size();
  return kAvailable;
}

/// The task below on the stack; for an implicit task, the task that encountered the region, and `*member` becomes that
/// task's.
Task* task_around(Task* task, const Member** member) {
  if (!task->is(kImplicit)) return visible(task->below());
  if ((*member)->team->parent_member == nullptr) return nullptr;
  *member = (*member)->team->parent_member;
  return visible(task->parent.load(std::memory_order_relaxed)); // relaxed: the start signal has published it
}

int get_task_info(int level, int* flags, ToolWord** data, ToolFrame** frame, ToolWord** parallel, int* thread_num) {
  const Worker* worker = known_thread();
  if (worker == nullptr || worker->current == nullptr || level < 0) return kNone;
  const Member* member = worker->member;
  Task* task = visible(worker->current);
  for (; level > 0 && task != nullptr; --level) task = task_around(task, &member);
  if (task == nullptr) return kNone;
  ToolTask* view = view_of(task);
  if (flags != nullptr) *flags = static_cast<int>(flags_of(task, member->team));
  if (data != nullptr) *data = &view->data;
  if (frame != nullptr) *frame = &view->frame;
  if (parallel != nullptr) *parallel = region_of(member->team);
  if (thread_num != nullptr) *thread_num = member->tid;
  return kAvailable;
}

/// A task has at most one block: an explicit task's payload.
int get_task_memory(void** address, size_t* size, int block) {
  const Worker* worker = known_thread();
  Task* task = worker != nullptr ? worker->current : nullptr;
  bool has = task != nullptr && block == 0 && !task->is(kImplicit);
  if (address != nullptr) *address = has ? task->payload() : nullptr;
  if (size != nullptr) *size = has ? task_payload_capacity(task) : 0;
  return 0; // no further block
}

// ---- Places and processors ------------------------------------------------------------------------------------------

int get_num_procs() { return topology.usable_cpus; }
int get_num_places() { return tool_attached() ? binding_place_count() : 0; }

int get_place_proc_ids(int place, int size, int* ids) {
  int count = tool_attached() ? binding_place_cpus(place, nullptr) : 0;
  if (ids != nullptr && count > 0 && count <= size) binding_place_cpus(place, ids);
  return count;
}

int get_place_num() {
  Worker* worker = known_thread();
  return worker != nullptr ? binding_ask(worker).place : -1;
}

int get_partition_place_nums(int size, int* places) {
  Worker* worker = known_thread();
  if (worker == nullptr) return 0;
  Placement own = binding_ask(worker);
  if (places != nullptr && own.count <= size)
    for (int i = 0; i < own.count; ++i) places[i] = own.first + i;
  return own.count;
}

int get_proc_id() { return known_thread() != nullptr ? current_cpu() : -1; }

// ---- Devices: chomp has none ----------------------------------------------------------------------------------------

int get_target_info(uint64_t*, uint64_t*, uint64_t*) { return 0; }
int get_num_devices() { return 1; } // the host

struct NamedFunction {
  const char* name;
  Function function;
};

template <class T> Function function_of(T* function) { return reinterpret_cast<Function>(function); }

} // namespace

Function lookup(const char* name) {
  const NamedFunction all[] = {
      {"ompt_enumerate_states", function_of(enumerate_states)},
      {"ompt_enumerate_mutex_impls", function_of(enumerate_mutex_impls)},
      {"ompt_set_callback", function_of(register_callback)},
      {"ompt_get_callback", function_of(get_callback)},
      {"ompt_get_thread_data", function_of(get_thread_data)},
      {"ompt_get_num_procs", function_of(get_num_procs)},
      {"ompt_get_num_places", function_of(get_num_places)},
      {"ompt_get_place_proc_ids", function_of(get_place_proc_ids)},
      {"ompt_get_place_num", function_of(get_place_num)},
      {"ompt_get_partition_place_nums", function_of(get_partition_place_nums)},
      {"ompt_get_proc_id", function_of(get_proc_id)},
      {"ompt_get_state", function_of(get_state)},
      {"ompt_get_parallel_info", function_of(get_parallel_info)},
      {"ompt_get_task_info", function_of(get_task_info)},
      {"ompt_get_task_memory", function_of(get_task_memory)},
      {"ompt_get_target_info", function_of(get_target_info)},
      {"ompt_get_num_devices", function_of(get_num_devices)},
      {"ompt_get_unique_id", function_of(get_unique_id)},
      {"ompt_finalize_tool", function_of(finalize)},
      {"chomp_get_body", function_of(get_body)},
  };
  for (const NamedFunction& each : all)
    if (strcmp(each.name, name) == 0) return each.function;
  return nullptr;
}

// By name, LLVM's offload library asks for ompt_get_callback() or, if it is older, for the callbacks of devices
// themselves; and for the data of the current task, and of the target task if that is one.
Function lookup_for_offload(const char* name) {
  static constexpr struct {
    const char* name;
    int event;
  } kDeviceEvents[] = {
#define CALLBACK(name, text)
#define DEVICE_CALLBACK(name, text) {"ompt_callback_" text, name},
#include "runtime/core/events.def"
  };
  for (const auto& each : kDeviceEvents)
    if (strcmp(each.name, name) == 0) return callbacks[each.event].load(std::memory_order_relaxed); // relaxed: as above
  if (strcmp(name, "ompt_get_callback") == 0) return function_of(get_callback);
  ToolWord* (*task_data)() = [] {
    const Worker* worker = known_thread();
    return worker != nullptr && worker->current != nullptr ? &current_view(worker)->data : nullptr;
  };
  if (strcmp(name, "ompt_get_task_data") == 0) return function_of(task_data);
  ToolWord* (*target_task_data)() = []() -> ToolWord* {
    const Worker* worker = known_thread();
    bool inside = worker != nullptr && worker->current != nullptr && is_target(worker->current);
    return inside ? &current_view(worker)->data : nullptr;
  };
  if (strcmp(name, "ompt_get_target_task_data") == 0) return function_of(target_task_data);
  return nullptr;
}

} // namespace chomp::ompt
