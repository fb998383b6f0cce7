// Calls the observers. See events.h.
#include "runtime/core/events.h"

#include "runtime/base/check.h"
#include "runtime/core/memory.h"
#include "runtime/core/team.h"
#include "runtime/core/worker.h"
#include "runtime/core/program_call.h"
#include "runtime/stacks/stack.h"

namespace chomp {

constinit atomic<bool> events_on{false};
constinit atomic<bool> tool_there{false};
constinit atomic<bool> announcing_{false};

namespace {

constinit const Observer* observers[kMostObservers] = {};
constinit atomic<int> observer_count{0};

template <typename... Parameters, typename... Arguments>
void notify(void (*Observer::*point)(Parameters...), Arguments&&... arguments) {
  int count = observer_count.load(std::memory_order_acquire); // acquire: pairs with release in events_add_observer()
  for (int index = 0; index < count; ++index)
    if (auto function = observers[index]->*point) function(arguments...);
}

} // namespace

template <typename... More, void (*Observer::*point)(Worker*, More...)>
void Announcement<point>::with(Worker* worker, More... more) {
  notify(point, worker, more...);
}

template <typename... More, void (*Observer::*point)(Worker*, More...)> void Announcement<point>::here(More... more) {
  with(this_worker(), more...);
}

#define EVENT(name, parameters, told, recorded, counted) template struct Announcement<&Observer::name>;
#define OWN_EVENT(name, parameters, told, recorded, counted)
#include "runtime/core/events.def"

namespace {

// Of a region, or its implicit tasks.
template <typename... Parameters, typename... Arguments>
void notify_of_region(bool is_observed, void (*Observer::*point)(Parameters...), Arguments&&... arguments) {
  int count = observer_count.load(std::memory_order_acquire); // acquire: pairs as in notify()
  for (int index = 0; index < count; ++index)
    if (auto function = observers[index]->*point; function && (is_observed || observers[index]->sees_all_regions))
      function(arguments...);
}

// An id is made of the worker's id and a count of its own, so that workers share no word for it.
ObservedTask* observe(Worker* worker, Task* task) {
  task_extra(task);
  ObservedTask* extra = observed(task);
  if (extra->id == 0) extra->id = uint64_t{worker->id} << 48 | ++worker->observe.tasks;
  extra->domain = worker->observe.counters.domain;
  return extra;
}

// If the thread's record has served another thread before, the header of the initial task has served another task,
// observed or not.
void begin_observing(Worker* worker, Task* task) {
  TaskExtra* before = task->is(kObserved) ? nullptr : task->extra;
  if (before != nullptr) task->extra = nullptr;
  task->flags |= kObserved;
  ObservedTask* extra = static_cast<ObservedTask*>(task_extra(task));
  extra->id = 0;
  if (before == nullptr) return;
  static_cast<TaskExtra&>(*extra) = *before;
  object_free(worker, before, sizeof(TaskExtra));
}

uint64_t id_of_current(const Worker* worker) {
  Task* current = worker->current;
  return current->is(kObserved) ? observed(current)->id : 0;
}

} // namespace

// relaxed, all: see announcing().
static void decide() {
  announcing_.store(tool_attached() || events_on.load(std::memory_order_relaxed), std::memory_order_relaxed);
}

void events_observe(bool on) {
  events_on.store(on, std::memory_order_relaxed); // relaxed: read when a region begins; notify() acquires
  decide();
}

void events_set_tool(bool attached) {
  tool_there.store(attached, std::memory_order_relaxed); // relaxed: see announcing()
  decide();
}

void events_add_observer(const Observer* observer) {
  int count = observer_count.load(std::memory_order_relaxed); // relaxed: the caller's lock orders it
  CHECK(count < kMostObservers);
  observers[count] = observer;
  observer_count.store(count + 1, std::memory_order_release); // release: pairs with acquire in notify()
  if (!observer->sees_all_regions) events_observe(true);
}

int events_observers() {
  int count = 0;
  for (int index = observer_count.load(std::memory_order_relaxed); index > 0; --index) // relaxed: the caller's lock
    count += !observers[index - 1]->sees_all_regions;
  return count;
}

void event_task_created(Worker* worker, Task* task, bool runs_at_creation) {
  ObservedTask* extra = observe(worker, task);
  extra->parent = id_of_current(worker);
  extra->runs_at_creation = runs_at_creation;
  notify(&Observer::task_created, worker, task);
}

void event_loop_begin(Worker* worker, Task* pattern) {
  task_extra(pattern);
  observed(pattern)->parent = id_of_current(worker);
  observed(pattern)->site = worker->observe.tool.site;
}

void event_loop_task_created(Worker* worker, Task* task, const Task* pattern) {
  const auto* loop = static_cast<const ObservedTask*>(pattern->extra);
  observe(worker, task)->parent = loop->parent;
  // The worker may be in another call of the program's, or in none.
  const void* outer = worker->observe.tool.site;
  worker->observe.tool.site = loop->site;
  notify(&Observer::task_created, worker, task);
  worker->observe.tool.site = outer;
}

void event_dependences(Worker* worker, Task* task, const DependenceList& list) {
  if (task != nullptr) observe(worker, task);
  notify(&Observer::dependences, worker, task, list);
}

void event_dependence_satisfied(Worker* worker, Task* before, Task* after) {
  if (after == nullptr) return; // a wait of the parent, which has events of its own
  notify(&Observer::dependence_satisfied, worker, before, after);
}

void event_note_mergeable(Task* task) {
  task_extra(task);
  observed(task)->mergeable = true;
}
void event_note_undeferred(Task* task) {
  task_extra(task);
  observed(task)->undeferred = true;
}
void event_note_chunk(Task* task, uint64_t first, uint64_t size) {
  task_extra(task);
  observed(task)->chunk_first = first;
  observed(task)->chunk_size = size;
}

// ---- Threads, regions, implicit tasks -------------------------------------------------------------------------------

void event_thread_begin(Worker* worker) {
  uint64_t ids = worker->observe.tool.ids; // the next thread with this record goes on from there: no id is given twice
  worker->observe.tool = ToolThread();
  worker->observe.tool.ids = ids;
  notify(&Observer::thread_begin, worker);
}

void event_implicit_begin(Worker* worker, Task* task) {
  Member* member = member_of_implicit(task);
  member->tool = ToolMember();
  bool is_initial = member->team->parent_member == nullptr;
  if (is_initial) member->team->tool = ToolRegion();
  // relaxed: as in events_observe()
  bool is_observed = is_initial ? events_on.load(std::memory_order_relaxed) : member->team->observed();
  if (is_observed) {
    begin_observing(worker, task);
    stack_watch_every_task(worker);
    Task* encountering = task->parent.load(std::memory_order_relaxed); // relaxed: written before the region began
    bool known = encountering != nullptr && encountering->is(kObserved);
    observe(worker, task)->parent = known ? observed(encountering)->id : 0;
  }
  notify_of_region(is_observed, &Observer::implicit_begin, worker, task);
}

void event_implicit_end(Worker* worker, Task* task) {
  notify_of_region(task->is(kObserved), &Observer::implicit_end, worker, task);
}

static void begin_region(Worker* worker, ToolRegion* region) {
  region->data = ToolWord();
  region->site = worker->observe.tool.site;
}

void event_region_begin(Worker* worker, Team* team) {
  ToolThread& thread = worker->observe.tool;
  team->tool = ToolRegion();
  team->members[0].tool = ToolMember(); // a tool may ask before the primary's implicit task is announced
  team->tool_region_over.store(false, std::memory_order_relaxed); // relaxed: see team.h
  team->tool.initial = thread.initial;
  thread.initial = ToolInitialTask();
  bool is_parallel = team->tool.initial.teams == 0; // no league's team, no target region
  if (is_parallel) {
    team->tool.body = thread.body;
    team->tool.flags = thread.region_flags != 0 ? thread.region_flags : kByProgram | kOfTeam;
    begin_region(worker, &team->tool);
  }
  notify_of_region(team->observed(), &Observer::region_begin, worker, team);
  if (!is_parallel) return;
  thread.requested = thread.region_flags = 0;
  thread.body = nullptr;
}

void event_region_end(Worker* worker, Team* team) {
  notify_of_region(team->observed(), &Observer::region_end, worker, team);
  team->tool_region_over.store(true, std::memory_order_relaxed); // relaxed: see team.h
}

void event_league_begin(Worker* worker, ToolRegion* league, int teams) {
  league->flags = kByRuntime | kOfLeague;
  begin_region(worker, league);
  notify(&Observer::league_begin, worker, league, teams);
}

// ---- Constructs and mutexes -----------------------------------------------------------------------------------------

void event_work_at(Worker* worker, WorkKind kind, bool begin, uint64_t count, const void* site) {
  notify(begin ? &Observer::work_begin : &Observer::work_end, worker, kind, count, site);
}

void event_work_begin(Worker* worker, WorkKind kind, uint64_t count, const void* site) {
  event_work_end(worker, site); // of a cancelled construct the end was not announced
  ToolMember& own = worker->member->tool;
  own.work = static_cast<uint32_t>(kind);
  own.work_count = count;
  event_work_at(worker, kind, true, count, site);
}

void event_work_end(Worker* worker, const void* site) {
  ToolMember& own = worker->member->tool;
  if (own.work == 0) return;
  auto kind = static_cast<WorkKind>(own.work);
  own.work = 0;
  event_work_at(worker, kind, false, own.work_count, site);
}

void events_reset_after_fork() { notify(&Observer::forked); }

void events_forget_observers() {
  observer_count.store(0, std::memory_order_relaxed); // relaxed: one thread exists
  events_observe(false);
}

// A destructor of the library runs after those of the program that uses it, which may still make tasks.
__attribute__((destructor)) static void process_ends() { notify(&Observer::process_ends); }

} // namespace chomp
