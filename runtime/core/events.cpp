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

void event_dependence_found(Worker* worker, ToolWord before, Task* after) {
  notify(&Observer::dependence_found, worker, before, after);
}
void event_dependences_met(Worker* worker) { notify(&Observer::dependences_met, worker); }

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

void event_task_begin(Worker* worker, Task* task) { notify(&Observer::task_begin, worker, task); }
void event_task_end(Worker* worker, Task* task) { notify(&Observer::task_end, worker, task); }
void event_task_stops(Worker* worker, Task* task) { notify(&Observer::task_stops, worker, task); }
void event_task_goes_on(Worker* worker, Task* task) { notify(&Observer::task_goes_on, worker, task); }
void event_task_discarded(Worker* worker, Task* task) { notify(&Observer::task_discarded, worker, task); }
void event_task_early_fulfilled(Worker* worker, Task* task) { notify(&Observer::task_early_fulfilled, worker, task); }
void event_task_fulfilled(Worker* worker, Task* task) { notify(&Observer::task_fulfilled, worker, task); }
void event_group_begin(Worker* worker, Task* task) { notify(&Observer::group_begin, worker, task); }

void event_wait_begin(Worker* worker, Task* task, WaitFor what) { notify(&Observer::wait_begin, worker, task, what); }
void event_wait_end(Worker* worker, Task* task, WaitFor what) { notify(&Observer::wait_end, worker, task, what); }

void event_idle_begin(Worker* worker) { notify(&Observer::idle_begin, worker); }
void event_idle_end(Worker* worker) { notify(&Observer::idle_end, worker); }
void event_published(Worker* worker, unsigned count) { notify(&Observer::published, worker, count); }

// ---- Threads, regions, implicit tasks -------------------------------------------------------------------------------

void event_thread_begin(Worker* worker) {
  uint64_t ids = worker->observe.tool.ids; // the next thread with this record goes on from there: no id is given twice
  worker->observe.tool = ToolThread();
  worker->observe.tool.ids = ids;
  notify(&Observer::thread_begin, worker);
}

void event_thread_end(Worker* worker) { notify(&Observer::thread_end, worker); }

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

void event_league_end(Worker* worker, ToolRegion* league) { notify(&Observer::league_end, worker, league); }

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

void event_chunk(Worker* worker, ChunkKind kind, uint64_t first, uint64_t iterations) {
  notify(&Observer::chunk, worker, kind, first, iterations);
}
void event_section(Worker* worker, const void* site) { notify(&Observer::section, worker, site); }
void event_masked(Worker* worker, bool begin, const void* site) { notify(&Observer::masked, worker, begin, site); }
void event_reduction(Worker* worker, bool begin, const void* site) {
  notify(&Observer::reduction, worker, begin, site);
}
void event_doacross(Worker* worker, bool sink, const int64_t* vector, int count) {
  notify(&Observer::doacross, worker, sink, vector, count);
}
void event_cancel(Worker* worker, CancelKind kind, bool activated, const void* site) {
  notify(&Observer::cancel, worker, kind, activated, site);
}
void event_flush(const void* site) { notify(&Observer::flush, this_worker(), site); }
void event_error(int severity, const char* message, const void* site) {
  notify(&Observer::error, this_worker(), severity, message, site);
}
void event_lock_init(MutexKind kind, uint64_t hint, const void* object, const void* site) {
  notify(&Observer::lock_init, this_worker(), kind, hint, object, site);
}
void event_lock_destroy(MutexKind kind, const void* object, const void* site) {
  notify(&Observer::lock_destroy, this_worker(), kind, object, site);
}
void event_mutex_wait(MutexKind kind, uint64_t hint, const void* object, const void* site) {
  notify(&Observer::mutex_wait, this_worker(), kind, hint, object, site);
}
void event_mutex_acquired(MutexKind kind, const void* object, const void* site) {
  notify(&Observer::mutex_acquired, this_worker(), kind, object, site);
}
void event_mutex_given_up() { notify(&Observer::mutex_given_up, this_worker()); }
void event_mutex_released(MutexKind kind, const void* object, const void* site) {
  notify(&Observer::mutex_released, this_worker(), kind, object, site);
}
void event_nest_lock(bool begin, const void* object, const void* site) {
  notify(&Observer::nest_lock, this_worker(), begin, object, site);
}

void events_reset_after_fork() { notify(&Observer::forked); }

void events_forget_observers() {
  observer_count.store(0, std::memory_order_relaxed); // relaxed: one thread exists
  events_observe(false);
}

// A destructor of the library runs after those of the program that uses it, which may still make tasks.
__attribute__((destructor)) static void process_ends() { notify(&Observer::process_ends); }

} // namespace chomp
