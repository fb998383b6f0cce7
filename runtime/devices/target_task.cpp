// See target_task.h.
#include "runtime/devices/target_task.h"

#include <algorithm>
#include <utility>

#include "runtime/base/dynamic.h"
#include "runtime/base/os_linux.h"
#include "runtime/config/config.h"
#include "runtime/core/team.h"
#include "runtime/memory/devices.h"
#include "runtime/tasks/task_graph.h"
#include "runtime/tasks/taskgroup.h"
#include "runtime/tasks/task_run.h"

namespace chomp {
namespace {

using Query = void(void** handle); // stores null when the device has finished

// relaxed, both: what was found once is there for ever, and nothing else is read by it.
constinit atomic<Query*> found_query{nullptr};
constinit atomic<bool> found_devices{false};

Query* query() {
  Query* known = found_query.load(std::memory_order_relaxed);
  if (known == nullptr) {
    known = any_definition<Query>("__tgt_target_nowait_query");
    found_query.store(known, std::memory_order_relaxed);
  }
  return known;
}

bool devices_are_there() {
  if (!found_devices.load(std::memory_order_relaxed) && device_count() > 0)
    found_devices.store(true, std::memory_order_relaxed);
  return found_devices.load(std::memory_order_relaxed);
}

bool helpers_are_there() {
  if (config.helpers == 0 || config.library == Library::kSerial) return false;
  return config.use_helpers == UseHelpers::kAuto ? devices_are_there() : config.use_helpers == UseHelpers::kYes;
}

// Nobody waits inside a call for the end of the task, and no child looks for its worker: it may go into a queue.
bool may_go_on_elsewhere(const Worker* worker, const Task* task) {
  return !task->is(kFinal | kOwnIcvs | kUncounted | kRecords | kDetachable | kCalledByProgram) &&
         worker->tasks.construct_of(task) == nullptr && !runs_at_once(task) && !is_replayed(task);
}

// A helper that looks again and again leaves the CPU to others meanwhile, for up to 64 us.
void pause_between_looks(const Worker* worker, int looks) {
  constexpr int kLongest = 6;
  if (!worker->member->team->helps) return cpu_yield();
  atomic<uint32_t> nobody{0};
  futex_wait(&nobody, 0, int64_t{1000} << std::min(looks, kLongest));
}

bool goes_on(Worker* worker, Member* member, Task* task, Task* below, uint64_t floor);

// What remains of a target task: its body has returned, so its shareds are ours.
int32_t look_again(int32_t, void* payload) {
  auto* rest = static_cast<TaskPayload*>(payload);
  Worker* worker = tls_worker;
  void* handle = rest->shareds;
  query()(&handle);
  if (handle == nullptr) return 0;
  pause_between_looks(worker, rest->part_id++);
  worker->tasks.target = {Task::of_payload(rest), handle, goes_on};
  return 0;
}

// See TargetHandle.
bool goes_on(Worker* worker, Member* member, Task* task, Task* below, uint64_t floor) {
  TargetHandle& target = worker->tasks.target;
  void* handle = std::exchange(target.handle, nullptr);
  const Taskgroup* group = task->taskgroup;
  if (has_children(task) || (group != nullptr && group->owner == task)) {
    while (handle != nullptr) query()(&handle);
    return false;
  }
  TaskPayload* rest = task->payload();
  if (rest->routine != look_again) rest->part_id = 0;
  rest->routine = look_again;
  rest->shareds = handle;
  // Another helper may finish the task, and then the team, before we have left it.
  if (member->team->served != nullptr) member_count_leftovers(member);
  give_way(worker, member, task, below, floor);
  return true;
}

} // namespace

void target_task_made(Task* task) {
  if (!helpers_are_there()) return;
  task_extra(task)->target = true;
  task->flags |= kPool;
}

void** target_handle(Worker* worker) {
  const Task* task = worker->current;
  TargetHandle& target = worker->tasks.target;
  if (!is_target(task) || target.handle != nullptr || !may_go_on_elsewhere(worker, task) || query() == nullptr)
    return nullptr;
  target.task = task;
  target.goes_on = goes_on;
  return &target.handle;
}

} // namespace chomp
