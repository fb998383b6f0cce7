// Tasks, regions and threads as a tool sees them (OpenMP 5.2, 19.5.2). Events of tasks come from the points of
// events.h, which this file observes if the tool wants any. The rest comes from tool_points.h.
//
// What the tool sees of one task, in this order:
//
//   create  [dependences]  [task_dependence …]  schedule(… → task)  schedule(task → …, complete or cancel)
//   … schedule(task → …, detach)  schedule(task, late_fulfill)           its event comes after its body has returned
//   … schedule(task, early_fulfill)  schedule(task → …, complete)        or before
//   create  cancel(task, discarded)                                      it was cancelled before it began
//
// Schedules of one thread nest: chomp suspends a task only by running others on top of it. What a range of a taskloop
// does counts as done by the task below it.
#include "runtime/base/os_linux.h"
#include "runtime/config/config.h"
#include "runtime/core/events.h"
#include "runtime/dependences/dependence_node.h"
#include "runtime/dependences/task_deps.h"
#include "runtime/observe/ompt.h"
#include "runtime/observe/tool_points.h"
#include "runtime/tasks/cancel.h"
#include "runtime/tasks/taskgroup.h"

namespace chomp {

using namespace ompt;

namespace ompt {

uint32_t flags_of(const Task* task, const Team* team) {
  if (task->is(kImplicit)) {
    if (team->parent_member == nullptr || team->tool.initial.teams != 0) return kInitialTask;
    return kImplicitTaskFlag | (team->serial() ? kUndeferredTask : 0);
  }
  const auto* extra = static_cast<const ObservedTask*>(task->extra);
  return kExplicitTask | (task->is(kTied) ? 0 : kUntiedTask) | (task->is(kFinal) ? kFinalTask : 0) |
         (extra->mergeable ? kMergeableTask : 0) | (extra->undeferred ? kUndeferredTask : 0);
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

void task_begin(Worker* worker, Task* task) {
  TaskStatus status = worker->observe.tool.yields ? kYield : kSwitch;
  worker->observe.tool.yields = false;
  Task* below = visible(worker->current == task ? task->below() : worker->current);
  schedule(view_of(below), status, &view_of_observed(task));
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

constinit const Observer tasks_observer = {
    .task_created = task_created,
    .dependences = dependences,
    .dependence_found = dependence_found,
    .dependences_met = dependences_met,
    .task_begin = task_begin,
    .task_end = task_end,
    .task_discarded = task_discarded,
    .task_early_fulfilled = task_early_fulfilled,
    .task_fulfilled = task_fulfilled,
    .group_begin = group_begin,
    .wait_begin = wait_begin,
    .wait_end = wait_end,
};

} // namespace

void observe_tasks() { events_add_observer(&tasks_observer); }

} // namespace ompt

// ---- Threads --------------------------------------------------------------------------------------------------------

void tool_thread_begin(Worker* worker) {
  uint64_t ids =
      worker->observe.tool.ids; // the next thread with this record goes on from there, so no id is given twice
  worker->observe.tool = ToolThread();
  worker->observe.tool.ids = ids;
  worker->observe.tool.begun = true;
  if (auto report = callback<ThreadBegin>(kThreadBegin))
    report(worker->thread.is_root ? kInitialThread : kWorkerThread, &worker->observe.tool.data);
}

void tool_thread_end(Worker* worker) {
  if (!worker->observe.tool.begun) return;
  if (auto report = callback<ThreadEnd>(kThreadEnd)) report(&worker->observe.tool.data);
  worker->observe.tool.begun = false;
}

void tool_initial_begin(Worker* worker) {
  tool_thread_begin(worker);
  Member* member = worker->thread.initial_member;
  member->tool = ToolMember();
  member->team->tool = ToolRegion();
  if (auto report = callback<ImplicitTask>(kImplicitTask))
    report(kBegin, &member->team->tool.data, &member->tool.task.data, 1, 1, kInitialTask);
}

void tool_initial_end(Worker* worker) {
  if (!worker->observe.tool.begun) return;
  if (auto report = callback<ImplicitTask>(kImplicitTask))
    report(kEnd, nullptr, &worker->thread.initial_member->tool.task.data, 0, 1, kInitialTask);
}

// ---- Regions and implicit tasks -------------------------------------------------------------------------------------

namespace {

constexpr uint32_t kByProgram = 1, kByRuntime = 2, kLeague = 0x40000000, kTeam = 0x80000000;

void region_begin(Worker* worker, ToolRegion* region, uint32_t requested) {
  region->data = ToolWord();
  region->site = worker->observe.tool.site;
  ToolTask* task = current_view(worker);
  if (auto report = callback<ParallelBegin>(kParallelBegin))
    report(&task->data, &task->frame, &region->data, requested, static_cast<int>(region->flags), region->site);
}

void region_end(Worker* worker, ToolRegion* region) {
  if (auto report = callback<ParallelEnd>(kParallelEnd))
    report(&region->data, &current_view(worker)->data, static_cast<int>(region->flags), region->site);
}

} // namespace

void tool_region_requested(Worker* worker, int threads, const void* body) {
  worker->observe.tool.requested = static_cast<uint32_t>(threads);
  worker->observe.tool.body = body;
  worker->observe.tool.region_flags = kByRuntime | kTeam;
}

// A league's team and a target region are no parallel regions: only their initial tasks are reported.
void tool_region_begin(Worker* worker, Team* team) {
  team->tool = ToolRegion();
  team->tool_region_over.store(false, std::memory_order_relaxed); // relaxed: see team.h
  team->tool.initial = worker->observe.tool.initial;
  worker->observe.tool.initial = ToolInitialTask();
  if (team->tool.initial.teams != 0) return;
  uint32_t requested = worker->observe.tool.requested, flags = worker->observe.tool.region_flags;
  worker->observe.tool.requested = worker->observe.tool.region_flags = 0;
  team->tool.body = worker->observe.tool.body;
  team->tool.flags = flags != 0 ? flags : kByProgram | kTeam;
  region_begin(worker, &team->tool, requested != 0 ? requested : 1);
  worker->observe.tool.body = nullptr;
}

void tool_region_end(Worker* worker, Team* team) {
  if (team->tool.initial.teams == 0) region_end(worker, &team->tool);
  team->tool_region_over.store(true, std::memory_order_relaxed); // relaxed: see team.h
}

void tool_initial_next(Worker* worker, ToolRegion* league, int teams, int index) {
  worker->observe.tool.initial = {league, static_cast<uint32_t>(teams), static_cast<uint32_t>(index)};
}

void tool_league_begin(Worker* worker, ToolRegion* league, int teams) {
  league->flags = kByRuntime | kLeague;
  region_begin(worker, league, static_cast<uint32_t>(teams));
}

void tool_league_end(Worker* worker, ToolRegion* league) { region_end(worker, league); }

void tool_implicit_begin(Worker* worker, Member* member) {
  member->tool = ToolMember();
  Team* team = member->team;
  auto report = callback<ImplicitTask>(kImplicitTask);
  if (report == nullptr) return;
  const ToolInitialTask& initial = team->tool.initial;
  if (initial.teams != 0)
    report(kBegin, region_of(team), &member->tool.task.data, initial.teams, initial.index, kInitialTask);
  else
    report(kBegin, region_of(team), &member->tool.task.data, static_cast<unsigned>(team->size()),
           static_cast<unsigned>(member->tid), kImplicitTaskFlag);
}

// A thread of the pool calls this when it is needed again. Only then does it leave the barrier of its last region.
void tool_implicit_end(Worker* worker, Member* member) {
  Task* task = &member->implicit_task;
  Team* team = member->team;
  if (member->tool.task.state == kWaitBarrierParallel) end_wait(worker, &member->tool.task, kBarrierParallel, nullptr);
  auto report = callback<ImplicitTask>(kImplicitTask);
  if (report == nullptr) return;
  const ToolInitialTask& initial = team->tool.initial;
  if (initial.teams != 0)
    report(kEnd, nullptr, &view_of(task)->data, 0, initial.index, kInitialTask);
  else // the specification says 0 here, too, but tools expect the size, as from libomp
    report(kEnd, nullptr, &view_of(task)->data, static_cast<unsigned>(team->size()), static_cast<unsigned>(member->tid),
           kImplicitTaskFlag);
}

const void** tool_exit_frame(Worker* worker) { return &current_view(worker)->frame.exit; }

void tool_undeferred(Worker* worker, const void* frame) { current_view(worker)->frame.enter = frame; }

void tool_back(Worker* worker) { current_view(worker)->frame = ToolFrame(); }

} // namespace chomp
