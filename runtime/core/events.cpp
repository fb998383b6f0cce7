// Calls the observers. See events.h.
#include "runtime/core/events.h"

#include "runtime/base/check.h"
#include "runtime/core/memory.h"
#include "runtime/core/team.h"
#include "runtime/core/worker.h"
#include "runtime/observe/tool_points.h"
#include "runtime/stacks/stack.h"

namespace chomp {

constinit atomic<bool> events_on{false};

namespace {

constinit const Observer* observers[kMostObservers] = {};
constinit atomic<int> observer_count{0};

template <typename... Parameters, typename... Arguments>
void notify(void (*Observer::*point)(Parameters...), Arguments&&... arguments) {
  int count = observer_count.load(std::memory_order_acquire); // acquire: pairs with release in events_add_observer()
  for (int index = 0; index < count; ++index)
    if (auto function = observers[index]->*point) function(arguments...);
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

void events_add_observer(const Observer* observer) {
  int count = observer_count.load(std::memory_order_relaxed); // relaxed: the caller's lock orders it
  CHECK(count < kMostObservers);
  observers[count] = observer;
  observer_count.store(count + 1, std::memory_order_release); // release: pairs with acquire in notify()
  events_on.store(true, std::memory_order_relaxed);           // relaxed: read when a region begins; notify() acquires
  tool_points_decide();
}

bool events_want_points() {
  // relaxed: the caller's lock, or its own store.
  if (!events_on.load(std::memory_order_relaxed)) return false;
  int count = observer_count.load(std::memory_order_acquire); // acquire: pairs with release in events_add_observer()
  for (int index = 0; index < count; ++index)
    if (observers[index]->work_begin != nullptr || observers[index]->mutex_wait != nullptr) return true;
  return false;
}

int events_observers() { return observer_count.load(std::memory_order_relaxed); } // relaxed: the caller's lock

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
void event_task_discarded(Worker* worker, Task* task) { notify(&Observer::task_discarded, worker, task); }
void event_task_early_fulfilled(Worker* worker, Task* task) { notify(&Observer::task_early_fulfilled, worker, task); }
void event_task_fulfilled(Worker* worker, Task* task) { notify(&Observer::task_fulfilled, worker, task); }
void event_group_begin(Worker* worker, Task* task) { notify(&Observer::group_begin, worker, task); }

void event_wait_begin(Worker* worker, Task* task, WaitFor what) { notify(&Observer::wait_begin, worker, task, what); }
void event_wait_end(Worker* worker, Task* task, WaitFor what) { notify(&Observer::wait_end, worker, task, what); }

void event_implicit_begin(Worker* worker, Task* task) {
  begin_observing(worker, task);
  stack_watch_every_task(worker);
  Task* encountering = task->parent.load(std::memory_order_relaxed); // relaxed: written before the region began
  bool known = encountering != nullptr && encountering->is(kObserved);
  observe(worker, task)->parent = known ? observed(encountering)->id : 0;
  notify(&Observer::implicit_begin, worker, task);
}

void event_implicit_end(Worker* worker, Task* task) { notify(&Observer::implicit_end, worker, task); }

void event_region_begin(Worker* worker, Team* team) { notify(&Observer::region_begin, worker, team); }
void event_region_end(Worker* worker, Team* team) { notify(&Observer::region_end, worker, team); }

void event_idle_begin(Worker* worker) { notify(&Observer::idle_begin, worker); }
void event_idle_end(Worker* worker) { notify(&Observer::idle_end, worker); }
void event_published(Worker* worker, unsigned count) { notify(&Observer::published, worker, count); }

void event_work_begin(Worker* worker, WorkKind kind, uint64_t count, const void* site) {
  notify(&Observer::work_begin, worker, kind, count, site);
}
void event_work_end(Worker* worker, WorkKind kind) { notify(&Observer::work_end, worker, kind); }
void event_mutex_wait(Worker* worker, MutexKind kind, const void* object, const void* site) {
  notify(&Observer::mutex_wait, worker, kind, object, site);
}
void event_mutex_acquired(Worker* worker) { notify(&Observer::mutex_acquired, worker); }
void event_mutex_given_up(Worker* worker) { notify(&Observer::mutex_given_up, worker); }
void event_mutex_released(Worker* worker, const void* object) { notify(&Observer::mutex_released, worker, object); }

void events_reset_after_fork() { notify(&Observer::forked); }

void events_forget_observers() {
  observer_count.store(0, std::memory_order_relaxed); // relaxed, both: one thread exists
  events_on.store(false, std::memory_order_relaxed);
}

// A destructor of the library runs after those of the program that uses it, which may still make tasks.
__attribute__((destructor)) static void process_ends() { notify(&Observer::process_ends); }

} // namespace chomp
