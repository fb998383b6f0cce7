// The events as a tool sees them (OpenMP 5.2, 19.5.2): two observers, whose functions the table of events names
// (core/events.def). Tasks are observed if the tool wants events of them; the rest always.
//
// What the tool sees of one task, in this order:
//
//   create  [dependences]  [task_dependence …]  schedule(… → task)  schedule(task → …, complete or cancel)
//   … schedule(task → …, switch or yield)  schedule(… → task) …          it stops, and goes on
//   … schedule(task → …, detach)  schedule(task, late_fulfill)           its event comes after its body has returned
//   … schedule(task, early_fulfill)  schedule(task → …, complete)        or before
//   create  cancel(task, discarded)                                      it was cancelled before it began
//
// Schedules of one thread nest: a task runs on top of another until it ends or stops, and then that one goes on. What a
// range of a taskloop does counts as done by the task below it.
#include <string.h>
#include <utility>

#include "runtime/base/os_linux.h"
#include "runtime/config/config.h"
#include "runtime/core/events.h"
#include "runtime/dependences/dependence_node.h"
#include "runtime/dependences/task_deps.h"
#include "runtime/observe/ompt.h"
#include "runtime/tasks/cancel.h"
#include "runtime/tasks/taskgroup.h"
#include "runtime/tasks/transparent.h"

namespace chomp::ompt {

uint32_t flags_of(const Task* task, const Team* team) {
  if (task->is(kImplicit)) {
    if (team->parent_member == nullptr || team->tool.initial.teams != 0) return kInitialTask;
    return kImplicitTaskFlag | (team->serial() ? kUndeferredTask : 0);
  }
  const auto* extra = static_cast<const ObservedTask*>(task->extra);
  return kExplicitTask | (task->is(kTied) ? 0 : kUntiedTask) | (task->is(kFinal) ? kFinalTask : 0) |
         (extra->mergeable ? kMergeableTask : 0) | (extra->undeferred ? kUndeferredTask : 0) |
         (is_transparent(task) ? kImportingTask | kExportingTask : 0);
}

namespace {

ToolTask& view_of_observed(Task* task) { return observed(task)->tool; }

// ---- Creation -------------------------------------------------------------------------------------------------------

int type_of(const chomp::Dependence& item) {
  constexpr int kIn = 1, kInOut = 3, kMutexInOutSet = 4, kInOutSet = 7, kAllMemory = 34; // out: as the strongest
  if ((item.flags & chomp::Dependence::kAllMemory) != 0 || item.address == UINTPTR_MAX) return kAllMemory;
  switch (item.flags) {
  case chomp::Dependence::kIn: return kIn;
  case chomp::Dependence::kMutexInOutSet: return kMutexInOutSet;
  case chomp::Dependence::kInOutSet: return kInOutSet;
  default: return kInOut;
  }
}

int copy_dependences(const DependenceList& list, ompt::Dependence* to) {
  int count = 0;
  for (const DependenceList::Part& part : list.parts)
    for (int i = 0; i < part.count; ++i) {
      bool all = (part.items[i].flags & chomp::Dependence::kAllMemory) != 0;
      to[count++] = {{all ? 0 : part.items[i].address}, type_of(part.items[i])};
    }
  return count;
}

void report_dependences(ToolWord* task, const DependenceList& list) {
  constexpr size_t kUsual = 64; // longer lists get memory of their own
  auto report = callback<ompt::Dependences>(kDependences);
  if (report == nullptr) return;
  size_t count = 0;
  for (const DependenceList::Part& part : list.parts) count += static_cast<size_t>(part.count);
  ompt::Dependence usual[kUsual];
  const size_t bytes = count * sizeof *usual;
  void* pages = count > kUsual ? map_pages(bytes) : nullptr;
  auto* items = count > kUsual ? static_cast<ompt::Dependence*>(pages) : usual;
  if (items == nullptr) return; // no memory: no list is better than an incomplete one
  report(task, items, copy_dependences(list, items));
  if (pages != nullptr) unmap_pages(pages, bytes);
}

void report_creation(Worker* worker, ToolTask& created, uint32_t flags, const DependenceList* list) {
  ToolTask* creator = current_view(worker);
  if (auto report = callback<TaskCreate>(kTaskCreate))
    report(&creator->data, &creator->frame, &created.data, static_cast<int>(flags), list != nullptr,
           worker->observe.tool.site);
  if (list != nullptr) report_dependences(&created.data, *list);
}

void task_created(Worker* worker, Task* task) {
  ToolTask& own = view_of_observed(task);
  const DependenceList* list = worker->observe.tool.dependences;
  worker->observe.tool.dependences = nullptr;
  const TaskPayload* payload = task->payload();
  bool has_body = payload->part_id == BodyPayload::kPart;
  worker->observe.tool.body = has_body ? reinterpret_cast<const void*>(code_of(payload)) : nullptr;
  report_creation(worker, own, flags_of(task, worker->member->team), list);
  worker->observe.tool.body = nullptr;
  if (DependenceNode* node = task->extra->dependence) node->tool = own.data; // the node may outlive the task
}

void dependences(Worker* worker, Task* task, const DependenceList& list) {
  if (list.empty()) return;
  if (task != nullptr) {
    worker->observe.tool.dependences = &list; // reported when the task is created
    return;
  }
  worker->observe.tool.waiting = ToolTask();
  report_creation(worker, worker->observe.tool.waiting, kTaskwaitTask | kUndeferredTask | kMergeableTask, &list);
}

void dependences_met(Worker* worker) {
  if (auto report = callback<TaskSchedule>(kTaskSchedule))
    report(&worker->observe.tool.waiting.data, kTaskwaitComplete, nullptr);
}

void dependence_found(Worker* worker, ToolWord before, Task* after) {
  auto report = callback<TaskDependence>(kTaskDependence);
  if (report == nullptr) return;
  report(&before, after != nullptr ? &view_of_observed(after).data : &worker->observe.tool.waiting.data);
}

// ---- Running --------------------------------------------------------------------------------------------------------

void schedule(ToolTask* prior, TaskStatus status, ToolTask* next) {
  auto report = callback<TaskSchedule>(kTaskSchedule);
  if (report != nullptr) report(&prior->data, status, next != nullptr ? &next->data : nullptr);
}

/// Why the current task gives its place to another.
TaskStatus status_of_switch(Worker* worker) {
  return std::exchange(worker->observe.tool.yields, false) ? kYield : kSwitch;
}

void task_stops(Worker* worker, Task* task) {
  schedule(&view_of_observed(task), status_of_switch(worker), view_of(visible(task->below())));
}

void task_goes_on(Worker* worker, Task* task) {
  Task* below = visible(worker->current == task ? task->below() : worker->current);
  schedule(view_of(below), status_of_switch(worker), &view_of_observed(task));
}

void task_begin(Worker* worker, Task* task) {
  task_goes_on(worker, task);
  if (observed(task)->chunk_size == 0) return;
  auto report = callback<Dispatch>(kDispatch);
  Chunk chunk{observed(task)->chunk_first, observed(task)->chunk_size};
  if (report != nullptr)
    report(current_region(worker), &view_of_observed(task).data, static_cast<int>(ChunkKind::kTaskloop),
           ToolWord{reinterpret_cast<uint64_t>(&chunk)});
}

bool group_is_cancelled(const Task* task) {
  const Taskgroup* group = task->taskgroup;
  // relaxed: the task ends either way.
  return config.cancellation && group != nullptr && group->cancelled.load(std::memory_order_relaxed) != 0;
}

void task_end(Worker* worker, Task* task) {
  Task* below = visible(task->below());
  TaskStatus status = observed(task)->stays_detached ? kDetach : group_is_cancelled(task) ? kCancelled : kComplete;
  schedule(&view_of_observed(task), status, view_of(below));
  view_of_observed(task).state = kEnded;
}

void task_discarded(Worker* worker, Task* task) {
  int what = group_is_cancelled(task) ? kCancelTaskgroup : kCancelParallel;
  if (auto report = callback<Cancel>(kCancel))
    report(&view_of_observed(task).data, what | kCancelDiscardedTask, nullptr);
}

void task_fulfilled(Worker*, Task* task) { schedule(&view_of_observed(task), kLateFulfill, nullptr); }
void task_early_fulfilled(Worker*, Task* task) { schedule(&view_of_observed(task), kEarlyFulfill, nullptr); }

// ---- Waiting --------------------------------------------------------------------------------------------------------

struct WaitKind {
  uint32_t kind; // ompt_sync_region_t; 0: it is not reported
  uint32_t state;
};

WaitKind kind_of(const Worker* worker, WaitFor what) {
  switch (what) {
  case WaitFor::kChildren: return {kTaskwait, kWaitTaskwait};
  case WaitFor::kTaskgroup: return {kTaskgroup, kWaitTaskgroup};
  case WaitFor::kJoin: return {kBarrierParallel, kWaitBarrierParallel};
  case WaitFor::kBarrier: break;
  default: return {0, 0};
  }
  switch (worker->observe.tool.barrier) {
  case kBarrierExplicit: return {kBarrierExplicit, kWaitBarrierExplicit};
  case kBarrierWorkshare: return {kBarrierWorkshare, kWaitBarrierWorkshare};
  case kBarrierParallel: return {kBarrierParallel, kWaitBarrierParallel};
  default: return {kBarrierImplementation, kWaitBarrierImplementation};
  }
}

/// For the join of a region, which is in no call of the program's, the primary gives the region's site.
const void* site_of(const Worker* worker, uint32_t kind) {
  if (kind != kBarrierParallel) return worker->observe.tool.site;
  return worker->member->tid == 0 ? worker->member->team->tool.site : nullptr;
}

void sync_region(Event event, Endpoint endpoint, uint32_t kind, ToolWord* region, ToolTask* task, const void* site) {
  if (auto report = callback<SyncRegion>(event)) report(static_cast<int>(kind), endpoint, region, &task->data, site);
}

void wait_begin(Worker* worker, Task* task, WaitFor what) {
  WaitKind wait = kind_of(worker, what);
  if (wait.kind == 0) return;
  ToolTask* view = view_of(task);
  const void* site = site_of(worker, wait.kind);
  if (wait.kind != kTaskgroup) // a taskgroup has begun long ago
    sync_region(kSyncRegion, kBegin, wait.kind, current_region(worker), view, site);
  sync_region(kSyncRegionWait, kBegin, wait.kind, current_region(worker), view, site);
  view->state = wait.state;
}

void end_wait(Worker* worker, ToolTask* view, uint32_t kind, const void* site) {
  ToolWord* region =
      kind == kBarrierParallel ? nullptr : current_region(worker); // the region has ended in that barrier
  view->state = 0;
  sync_region(kSyncRegionWait, kEnd, kind, region, view, site);
  sync_region(kSyncRegion, kEnd, kind, region, view, site);
}

void wait_end(Worker* worker, Task* task, WaitFor what) {
  WaitKind wait = kind_of(worker, what);
  if (wait.kind != 0) end_wait(worker, view_of(task), wait.kind, site_of(worker, wait.kind));
}

void group_begin(Worker* worker, Task* task) {
  sync_region(kSyncRegion, kBegin, kTaskgroup, current_region(worker), view_of(task), worker->observe.tool.site);
}

// ---- Threads --------------------------------------------------------------------------------------------------------

void thread_begin(Worker* worker) {
  worker->observe.tool.begun = true;
  if (auto report = callback<ThreadBegin>(kThreadBegin))
    report(worker->thread.is_root ? kInitialThread : kWorkerThread, &worker->observe.tool.data);
}

void thread_end(Worker* worker) {
  if (!worker->observe.tool.begun) return;
  if (auto report = callback<ThreadEnd>(kThreadEnd)) report(&worker->observe.tool.data);
  worker->observe.tool.begun = false;
}

// ---- Regions and implicit tasks -------------------------------------------------------------------------------------

void report_region(Worker* worker, ToolRegion* region, uint32_t requested) {
  ToolTask* task = current_view(worker);
  if (auto report = callback<ParallelBegin>(kParallelBegin))
    report(&task->data, &task->frame, &region->data, requested, static_cast<int>(region->flags), region->site);
}

void report_region_end(Worker* worker, ToolRegion* region) {
  if (auto report = callback<ParallelEnd>(kParallelEnd))
    report(&region->data, &current_view(worker)->data, static_cast<int>(region->flags), region->site);
}

// A league's team and a target region are no parallel regions: only their initial tasks are reported.
void region_begin(Worker* worker, Team* team) {
  uint32_t requested = worker->observe.tool.requested;
  if (team->tool.initial.teams == 0) report_region(worker, &team->tool, requested != 0 ? requested : 1);
}

void region_end(Worker* worker, Team* team) {
  if (team->tool.initial.teams == 0) report_region_end(worker, &team->tool);
}

void league_begin(Worker* worker, ToolRegion* league, int teams) {
  report_region(worker, league, static_cast<uint32_t>(teams));
}

void league_end(Worker* worker, ToolRegion* league) { report_region_end(worker, league); }

/// How many there are of an initial or implicit task, which one it is, and its flag.
struct ImplicitKind {
  unsigned count, index;
  int flag;
};

ImplicitKind kind_of(const Member* member) {
  const Team* team = member->team;
  if (team->parent_member == nullptr) return {1, 1, kInitialTask};
  if (team->tool.initial.teams != 0) return {team->tool.initial.teams, team->tool.initial.index, kInitialTask};
  return {static_cast<unsigned>(team->size()), static_cast<unsigned>(member->tid), kImplicitTaskFlag};
}

void implicit_begin(Worker*, Task* task) {
  Member* member = member_of_implicit(task);
  ImplicitKind kind = kind_of(member);
  if (auto report = callback<ImplicitTask>(kImplicitTask))
    report(kBegin, region_of(member->team), &member->tool.task.data, kind.count, kind.index, kind.flag);
}

// A thread of the pool calls this when it is needed again. Only then does it leave the barrier of its last region.
void implicit_end(Worker* worker, Task* task) {
  Member* member = member_of_implicit(task);
  ImplicitKind kind = kind_of(member);
  if (member->team->parent_member == nullptr && !worker->observe.tool.begun) return;
  if (member->tool.task.state == kWaitBarrierParallel) end_wait(worker, &member->tool.task, kBarrierParallel, nullptr);
  if (kind.flag == kInitialTask) kind.count = 0; // the specification says 0 for all, but libomp's tools expect the size
  if (auto report = callback<ImplicitTask>(kImplicitTask))
    report(kEnd, nullptr, &member->tool.task.data, kind.count, kind.index, kind.flag);
}

// ---- Worksharing ----------------------------------------------------------------------------------------------------

void report_work(Worker* worker, WorkKind kind, Endpoint endpoint, uint64_t count, const void* site) {
  if (auto report = callback<Work>(kWork))
    report(static_cast<int>(kind), endpoint, current_region(worker), &current_view(worker)->data, count, site);
}

void work_begin(Worker* worker, WorkKind kind, uint64_t count, const void* site) {
  report_work(worker, kind, kBegin, count, site);
}

void work_end(Worker* worker, WorkKind kind, uint64_t count, const void* site) {
  report_work(worker, kind, kEnd, count, site);
}

void chunk(Worker* worker, ChunkKind kind, uint64_t first, uint64_t iterations) {
  auto report = callback<Dispatch>(kDispatch);
  if (report == nullptr) return;
  Chunk chunk{first, iterations};
  ToolWord instance{reinterpret_cast<uint64_t>(&chunk)};
  report(current_region(worker), &current_view(worker)->data, static_cast<int>(kind), instance);
}

void section(Worker* worker, const void* site) {
  if (auto report = callback<Dispatch>(kDispatch))
    report(current_region(worker), &current_view(worker)->data, static_cast<int>(ChunkKind::kSection),
           ToolWord{reinterpret_cast<uint64_t>(site)});
}

void masked(Worker* worker, bool begin, const void* site) {
  if (auto report = callback<Masked>(kMasked))
    report(begin ? kBegin : kEnd, current_region(worker), &current_view(worker)->data, site);
}

void reduction(Worker* worker, bool begin, const void* site) {
  ToolTask* task = current_view(worker);
  task->state = begin ? kWorkReduction : 0;
  if (auto report = callback<SyncRegion>(kReduction))
    report(kReductionRegion, begin ? kBegin : kEnd, current_region(worker), &task->data, site);
}

void doacross(Worker* worker, bool sink, const int64_t* vector, int count) {
  auto report = callback<ompt::Dependences>(kDependences);
  if (report == nullptr) return;
  constexpr int kSource = 5, kSink = 6;
  auto* list = static_cast<ompt::Dependence*>(__builtin_alloca(sizeof(ompt::Dependence) * static_cast<size_t>(count)));
  for (int i = 0; i < count; ++i) list[i] = {{static_cast<uint64_t>(vector[i])}, sink ? kSink : kSource};
  report(&current_view(worker)->data, list, count);
}

// ---- Mutual exclusion -----------------------------------------------------------------------------------------------

constexpr unsigned kQueuing = 2; // the kind of all our locks (ompt_entry.cpp)

uint64_t id_of(const void* object) { return reinterpret_cast<uint64_t>(object); }

uint32_t state_for(MutexKind kind) {
  switch (kind) {
  case MutexKind::kCritical: return kWaitCritical;
  case MutexKind::kAtomic: return kWaitAtomic;
  case MutexKind::kOrdered: return kWaitOrdered;
  default: return kWaitLock;
  }
}

void lock_init(Worker*, MutexKind kind, uint64_t hint, const void* object, const void* site) {
  if (auto report = callback<MutexAcquire>(kLockInit))
    report(static_cast<int>(kind), static_cast<unsigned>(hint), kQueuing, id_of(object), site);
}

void lock_destroy(Worker*, MutexKind kind, const void* object, const void* site) {
  if (auto report = callback<ompt::Mutex>(kLockDestroy)) report(static_cast<int>(kind), id_of(object), site);
}

void mutex_wait(Worker* worker, MutexKind kind, uint64_t hint, const void* object, const void* site) {
  ToolTask* task = current_view(worker);
  task->state = state_for(kind);
  task->wait_id = id_of(object);
  if (auto report = callback<MutexAcquire>(kMutexAcquire))
    report(static_cast<int>(kind), static_cast<unsigned>(hint), kQueuing, id_of(object), site);
}

void mutex_given_up(Worker* worker) {
  ToolTask* task = current_view(worker);
  task->state = 0;
  task->wait_id = 0;
}

void mutex_acquired(Worker* worker, MutexKind kind, const void* object, const void* site) {
  mutex_given_up(worker);
  if (auto report = callback<ompt::Mutex>(kMutexAcquired)) report(static_cast<int>(kind), id_of(object), site);
}

void mutex_released(Worker*, MutexKind kind, const void* object, const void* site) {
  if (auto report = callback<ompt::Mutex>(kMutexReleased)) report(static_cast<int>(kind), id_of(object), site);
}

void nest_lock(Worker*, bool begin, const void* object, const void* site) {
  if (auto report = callback<ompt::NestLock>(kNestLock)) report(begin ? kBegin : kEnd, id_of(object), site);
}

// ---- Others ---------------------------------------------------------------------------------------------------------

void flush(Worker* worker, const void* site) {
  if (auto report = callback<Flush>(kFlush)) report(&worker->observe.tool.data, site);
}

void cancel(Worker* worker, CancelKind kind, bool activated, const void* site) {
  auto report = callback<Cancel>(kCancel);
  if (report == nullptr) return;
  int what = kind == CancelKind::kParallel   ? kCancelParallel
             : kind == CancelKind::kLoop     ? kCancelLoop
             : kind == CancelKind::kSections ? kCancelSections
                                             : kCancelTaskgroup;
  report(&current_view(worker)->data, what | (activated ? kCancelActivated : kCancelDetected), site);
}

void error(Worker*, int severity, const char* message, const void* site) {
  if (auto report = callback<Error>(kError)) report(severity, message, strlen(message), site);
}

} // namespace

#define EVENT(name, parameters, told, recorded, counted) .name = told,
constinit const Observer task_observer = {
#define TASKS(function) function
#define ALWAYS(function) nullptr
#include "runtime/core/events.def"
#undef TASKS
#undef ALWAYS
};
#define EVENT(name, parameters, told, recorded, counted) .name = told,
constinit const Observer other_observer = {
#define TASKS(function) nullptr
#define ALWAYS(function) function
#include "runtime/core/events.def"
    .sees_all_regions = true,
};

void end_initial_thread(Worker* worker) {
  implicit_end(worker, &worker->thread.initial_member->implicit_task);
  thread_end(worker);
}

} // namespace chomp::ompt
