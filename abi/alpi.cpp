// ALPI 1.2 (alpi.h): the names by which Task-Aware MPI and others stop tasks. Facts: facts.md.
#include "abi/alpi.h"

#include <algorithm>
#include <string.h>

#include "abi/abi.h"
#include "runtime/base/cpu_numbers.h"
#include "runtime/base/os_linux.h"
#include "runtime/config/config.h"
#include "runtime/config/version.h"
#include "runtime/core/worker.h"
#include "runtime/machine/topology.h"
#include "runtime/memory/allocator.h"
#include "runtime/startup.h"
#include "runtime/tasks/task_detach.h"
#include "runtime/teams/region.h"
#include "runtime/wait/block.h"

using namespace chomp;

struct alpi_attr {
  uint64_t unused;
};

namespace {

constexpr AllocatorHandle kOrdinaryMemory = 1; // omp_default_mem_alloc

alpi_task* handle_of(DetachEvent* event) { return reinterpret_cast<alpi_task*>(event); }
DetachEvent* event_of(alpi_task* task) { return reinterpret_cast<DetachEvent*>(task); }

/// What asks for a version or a feature is about to stop tasks.
Worker* begin() {
  Worker* worker = this_worker();
  blocking_begin(worker);
  return worker;
}

/// Whether the task calls itself. Each thread is in one: outside of regions in its initial task.
bool is_caller(alpi_task* task) { return task != nullptr && task == handle_of(blocking_handle(this_worker())); }

/// Where numbers stand for CPUs: a library has a place for each, and more threads than CPUs may be asked for.
int numbers() {
  runtime_start();
  int threads = config.num_threads_count > 0 ? config.num_threads[0] : 0;
  return cpu_numbers(std::max(topology_allowed_cpus().count(), threads));
}

} // namespace

CHOMP_EXPORT const char* alpi_error_string(int error) {
  switch (error) {
  case ALPI_SUCCESS: return "no error";
  case ALPI_ERR_VERSION: return "this version of ALPI is not compatible with the one asked for";
  case ALPI_ERR_NOT_INITIALIZED: return "the runtime has not started";
  case ALPI_ERR_PARAMETER: return "an argument is wrong";
  case ALPI_ERR_OUT_OF_MEMORY: return "the system refuses memory or a thread";
  case ALPI_ERR_OUTSIDE_TASK: return "the caller is no task";
  case ALPI_ERR_UNKNOWN: return "this task cannot do that";
  case ALPI_ERR_FEATURE_UNKNOWN: return "there is no such feature";
  default: return "unknown error";
  }
}

CHOMP_EXPORT int alpi_info_get(alpi_info_t query, char* buffer, size_t max_length, int* length) {
  if (buffer == nullptr || max_length == 0) return ALPI_ERR_PARAMETER;
  const char* text;
  switch (query) {
  case ALPI_INFO_RUNTIME_NAME: text = "chomp"; break;
  case ALPI_INFO_RUNTIME_VENDOR: text = "the chomp project"; break;
  case ALPI_INFO_VERSION: text = CHOMP_VERSION; break;
  default: return ALPI_ERR_PARAMETER;
  }
  size_t bytes = std::min(strlen(text), max_length - 1);
  memcpy(buffer, text, bytes);
  buffer[bytes] = 0;
  if (length != nullptr) *length = static_cast<int>(bytes);
  return ALPI_SUCCESS;
}

CHOMP_EXPORT int alpi_feature_check(int features) {
  constexpr int kAll = ALPI_FEATURE_BLOCKING | ALPI_FEATURE_EVENTS | ALPI_FEATURE_RESOURCES | ALPI_FEATURE_SUSPEND;
  begin();
  return (features & ~kAll) == 0 ? ALPI_SUCCESS : ALPI_ERR_FEATURE_UNKNOWN;
}

CHOMP_EXPORT int alpi_version_check(int major, int minor) {
  begin();
  return major == ALPI_VERSION_MAJOR && minor <= ALPI_VERSION_MINOR ? ALPI_SUCCESS : ALPI_ERR_VERSION;
}

CHOMP_EXPORT int alpi_version_get(int* major, int* minor) {
  if (major == nullptr || minor == nullptr) return ALPI_ERR_PARAMETER;
  *major = ALPI_VERSION_MAJOR;
  *minor = ALPI_VERSION_MINOR;
  return ALPI_SUCCESS;
}

CHOMP_EXPORT int alpi_task_self(alpi_task** task) {
  if (task == nullptr) return ALPI_ERR_PARAMETER;
  Worker* worker = begin();
  *task = handle_of(blocking_handle(worker));
  return ALPI_SUCCESS;
}

CHOMP_EXPORT int alpi_task_block(alpi_task* self) {
  if (!is_caller(self)) return ALPI_ERR_PARAMETER;
  block(tls_worker, event_of(self));
  return ALPI_SUCCESS;
}

CHOMP_EXPORT int alpi_task_unblock(alpi_task* task) {
  return task != nullptr && unblock(event_of(task)) ? ALPI_SUCCESS : ALPI_ERR_PARAMETER;
}

CHOMP_EXPORT int alpi_task_waitfor_ns(uint64_t target_ns, uint64_t* actual_ns) {
  uint64_t took = block_for(this_worker(), target_ns);
  if (actual_ns != nullptr) *actual_ns = took;
  return ALPI_SUCCESS;
}

CHOMP_EXPORT int alpi_task_events_increase(alpi_task* self, uint64_t count) {
  if (!is_caller(self)) return ALPI_ERR_PARAMETER;
  return events_increase(tls_worker, event_of(self), count) ? ALPI_SUCCESS : ALPI_ERR_UNKNOWN;
}

CHOMP_EXPORT int alpi_task_events_decrease(alpi_task* task, uint64_t count) {
  return task != nullptr && events_decrease(this_worker(), event_of(task), count) ? ALPI_SUCCESS : ALPI_ERR_PARAMETER;
}

CHOMP_EXPORT int alpi_task_events_test(alpi_task* task, uint64_t* has_events) {
  if (!is_caller(task) || has_events == nullptr) return ALPI_ERR_PARAMETER;
  *has_events = events_are_left(event_of(task)) ? 1 : 0;
  return ALPI_SUCCESS;
}

CHOMP_EXPORT int alpi_attr_create(alpi_attr** attr) {
  if (attr == nullptr) return ALPI_ERR_PARAMETER;
  *attr = static_cast<alpi_attr*>(allocator_allocate_zeroed(alignof(alpi_attr), 1, sizeof(alpi_attr), kOrdinaryMemory));
  return *attr != nullptr ? ALPI_SUCCESS : ALPI_ERR_OUT_OF_MEMORY;
}

CHOMP_EXPORT int alpi_attr_destroy(alpi_attr* attr) {
  allocator_release(attr, kOrdinaryMemory);
  return ALPI_SUCCESS;
}

CHOMP_EXPORT int alpi_attr_init(alpi_attr* attr) {
  if (attr == nullptr) return ALPI_ERR_PARAMETER;
  *attr = alpi_attr{};
  return ALPI_SUCCESS;
}

CHOMP_EXPORT int alpi_attr_size(uint64_t* attr_size) {
  if (attr_size == nullptr) return ALPI_ERR_PARAMETER;
  *attr_size = sizeof(alpi_attr);
  return ALPI_SUCCESS;
}

CHOMP_EXPORT int alpi_task_spawn(void (*body)(void*), void* body_args, void (*completion_callback)(void*),
                                 void* completion_args, const char*, const alpi_attr*) {
  if (body == nullptr || completion_callback == nullptr) return ALPI_ERR_PARAMETER;
  SpawnedTask task{body, body_args, completion_callback, completion_args};
  return spawn_outside_regions(this_worker(), task) ? ALPI_SUCCESS : ALPI_ERR_OUT_OF_MEMORY;
}

CHOMP_EXPORT int alpi_cpu_count(uint64_t* count) {
  if (count == nullptr) return ALPI_ERR_PARAMETER;
  *count = static_cast<uint64_t>(numbers());
  return ALPI_SUCCESS;
}

CHOMP_EXPORT int alpi_cpu_logical_id(uint64_t* logical_id) {
  if (logical_id == nullptr) return ALPI_ERR_PARAMETER;
  this_worker(); // a thread that is known gives its number back when it ends
  *logical_id = static_cast<uint64_t>(cpu_number_hold(numbers()));
  return ALPI_SUCCESS;
}

CHOMP_EXPORT int alpi_cpu_system_id(uint64_t* system_id) {
  if (system_id == nullptr) return ALPI_ERR_PARAMETER;
  *system_id = static_cast<uint64_t>(std::max(current_cpu(), 0));
  return ALPI_SUCCESS;
}

CHOMP_EXPORT int alpi_task_suspend_mode_set(alpi_task* self, alpi_suspend_mode_t mode, uint64_t args) {
  if (!is_caller(self)) return ALPI_ERR_PARAMETER;
  return run_again_mode(event_of(self), mode, args) ? ALPI_SUCCESS : ALPI_ERR_PARAMETER;
}

CHOMP_EXPORT int alpi_task_suspend(alpi_task* self) {
  if (!is_caller(self)) return ALPI_ERR_PARAMETER;
  return run_again(tls_worker, event_of(self)) ? ALPI_SUCCESS : ALPI_ERR_UNKNOWN;
}
