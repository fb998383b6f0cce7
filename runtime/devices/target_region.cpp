// See target_region.h.
#include "runtime/devices/target_region.h"

#include <stdio.h>
#include <string.h>

#include "runtime/base/log.h"
#include "runtime/config/config.h"
#include "runtime/core/program_call.h"
#include "runtime/core/team.h"
#include "runtime/tasks/task_alloc.h"
#include "runtime/teams/region.h"

namespace chomp {

// ---- Which device ---------------------------------------------------------------------------------------------------

int device_of_interop(int device) {
  constexpr int kNoClause = -1;
  return device_number(device == kNoClause ? kDefaultDevice : device);
}

/// Says what names the device, and that there is none of that number.
[[noreturn]] static void end_without_device(int device, int number, bool mandatory) {
  const char* named_by = device == number ? "the device clause" : "the default device";
  char text[24] = "omp_invalid_device";
  if (number != kInvalidDevice && number != kInvalidDeviceLlvm) snprintf(text, sizeof text, "%d", number);
  fatal("a target construct has no device:%s %s is %s", mandatory ? " OMP_TARGET_OFFLOAD is set to MANDATORY, and" : "",
        named_by, text);
}

int device_of_construct(int device) {
  // What compiled code passes if an if clause is false. GCC 13 and later also do so for omp_initial_device.
  constexpr int kHostFallback = -2;
  const int host = device_count();
  if (device == kHostFallback) return host;
  this_worker(); // reads the settings, if no call has done so yet
  const int number = device_of_interop(device);
  const bool exists = number >= 0 && number <= host;
  const bool mandatory = config.target_offload == TargetOffload::kMandatory && !exists;
  if (mandatory || number == kInvalidDevice || number == kInvalidDeviceLlvm)
    end_without_device(device, number, mandatory);
  return exists ? number : host;
}

void target_keeps_order(Worker* worker, bool nowait, const DependenceList& list) {
  if (!list.empty()) dependences_alone(worker, nowait, list);
}

// ---- What is mapped -------------------------------------------------------------------------------------------------

size_t Mappings::copies_bytes() const {
  size_t bytes = addresses_bytes();
  for (size_t i = 0; i < count; ++i)
    if (is_firstprivate(i)) bytes += sizes[i] + alignment(i) - 1;
  return bytes;
}

void Mappings::copy_to(void* memory) const {
  auto copied = static_cast<void**>(memory);
  auto next = reinterpret_cast<uintptr_t>(copied + count);
  for (size_t i = 0; i < count; ++i) {
    copied[i] = addresses[i];
    if ((kinds[i] & 0xff) == kAttach) attach(copied, i);
    if (!is_firstprivate(i)) continue;
    next = (next + alignment(i) - 1) & ~(alignment(i) - 1);
    copied[i] = reinterpret_cast<void*>(next);
    memcpy(copied[i], addresses[i], sizes[i]);
    next += sizes[i];
  }
}

void Mappings::attach(void** copied, size_t i) const {
  auto place = reinterpret_cast<uintptr_t>(addresses[i]), first = reinterpret_cast<uintptr_t>(addresses);
  if (i == 0 || place < first || place >= first + (i - 1) * sizeof(void*)) return;
  size_t descriptor = (place - first) / sizeof(void*);
  if (is_firstprivate(descriptor) && sizes[descriptor] >= sizeof(void*))
    memcpy(copied[descriptor], &copied[i - 1], sizeof(void*));
}

// ---- Regions on the host --------------------------------------------------------------------------------------------

void target_region_run(Worker* worker, TargetBody body, void** addresses, int32_t thread_limit) {
  team_enter_initial(worker, thread_limit);
  if (announcing()) *exit_frame_of(worker) = __builtin_frame_address(0);
  body(addresses);
  team_leave_serial(worker);
}

namespace {

struct TargetPayload : BodyPayload { // the task's shareds are the copies
  int32_t thread_limit;
};

int32_t run_target_task(int32_t, void* payload) {
  auto task = static_cast<TargetPayload*>(payload);
  target_region_run(this_worker(), task->body, static_cast<void**>(task->shareds), task->thread_limit);
  return 0;
}

} // namespace

static Task* make_target_task(Worker* worker, const TargetRegion& region) {
  Task* task = task_allocate(worker, 0, sizeof(TargetPayload), region.mappings.copies_bytes(),
                             run_target_task); // untied
  auto payload = static_cast<TargetPayload*>(task->payload());
  payload->set_body(region.body);
  payload->thread_limit = region.thread_limit;
  if (region.mappings.count != 0) region.mappings.copy_to(payload->shareds);
  return task;
}

void target_on_host(Worker* worker, const TargetRegion& region, const DependenceList& list) {
  Task* task = make_target_task(worker, region);
  region.nowait ? task_spawn_with_dependences(worker, task, list) : task_run_undeferred(worker, task, list);
}

} // namespace chomp
