// Which graphs there are, and both ends of a taskgraph construct. See tasks/task_graph.h.
//
// Everything here is under one lock, which a replay takes twice, whatever the number of its tasks.
#include "runtime/base/lock.h"
#include "runtime/core/memory.h"
#include "runtime/dependences/task_deps.h"
#include "runtime/graphs/graph.h"
#include "runtime/stacks/stack.h"
#include "runtime/tasks/taskgroup.h"
#include "runtime/wait/work_loop.h"

namespace chomp {

static constexpr unsigned kBuckets = 64; // programs have few graphs
static TaskGraph* table[kBuckets];
static Lock graphs_lock; // guards the table, and what TaskGraph and GraphInstance say

static TaskGraph** bucket_of(const GraphKey& key) {
  uint64_t word = (reinterpret_cast<uintptr_t>(key.place) >> 3) + key.number;
  return &table[(word * UINT64_C(0x9e3779b97f4a7c15)) >> 58];
}

static TaskGraph** find_locked(const GraphKey& key) {
  TaskGraph** link = bucket_of(key);
  while (*link != nullptr && !((*link)->key == key)) link = &(*link)->next;
  return link;
}

/// Drops a reference; true if it was the last: then the caller frees the graph, outside the lock.
static bool drop_locked(TaskGraph* graph) { return --graph->references == 0; }

void graph_instance_release(Worker* worker, GraphInstance* instance) {
  TaskGraph* graph = instance->graph;
  // acq_rel: pairs with itself, and with the acquire in is_free(): the next user of the instance sees what was done to
  // it.
  if (instance->busy.fetch_sub(1, std::memory_order_acq_rel) != 1) return;
  bool last;
  {
    std::lock_guard guard(graphs_lock); // the graph still exists, since the use of the instance was a reference
    last = drop_locked(graph);
  }
  if (last) graph_free(worker, graph);
}

static bool is_free(const GraphInstance* instance) {
  // acquire: pairs with graph_instance_release().
  return instance->busy.load(std::memory_order_acquire) == 0;
}

static void claim_locked(GraphInstance* instance, Task* parent) {
  instance->busy.store(1, std::memory_order_relaxed); // relaxed: under the lock
  instance->parent = parent;
  ++instance->graph->references;
}

/// Adds a use to an instance, unless it has none: the last use may just have ended, and its thread waits for the lock.
static bool keep_in_use(GraphInstance* instance) {
  uint32_t count = instance->busy.load(std::memory_order_relaxed); // relaxed: what is waited for is sinks_left
  // relaxed: as above.
  while (count != 0 && !instance->busy.compare_exchange_weak(count, count + 1, std::memory_order_relaxed)) {
  }
  return count != 0;
}

/// Whether its tasks are still known: those that the child of a fork() has forgotten are not waited for.
static bool is_known(const GraphInstance* instance) { return instance->team_forgot == instance->team->forgot; }

/// The instance that the current task replays at present and whose tasks have not all finished, with one more use; null
/// if there is none.
static GraphInstance* own_replay_locked(TaskGraph* graph, const Task* current) {
  for (GraphInstance* each = graph->instances; each != nullptr; each = each->next)
    // acquire: pairs with the count of its last sink: what its tasks wrote is visible to those of the next replay.
    if (each->parent == current && !is_free(each) && each->sinks_left.load(std::memory_order_acquire) != 0 &&
        is_known(each) && keep_in_use(each))
      return each;
  return nullptr;
}

enum class Choice { kExecute, kRecord, kReplay, kWaitFirst };

/// What this encounter of the construct does, and with which graph or instance.
static Choice choose(Worker* worker, const GraphKey& key, uint32_t clauses, bool may_record, TaskGraph** graph,
                     GraphInstance** instance, TaskGraph** dropped) {
  Task* current = worker->current;
  std::lock_guard guard(graphs_lock);
  TaskGraph** link = find_locked(key);
  if (*link != nullptr && (clauses & kGraphReset) != 0 && (*link)->state != TaskGraph::kRecording) {
    TaskGraph* old = *link;
    *link = old->next;
    if (drop_locked(old)) *dropped = old;
    link = find_locked(key);
  }
  TaskGraph* found = *link;
  if (found == nullptr) {
    if (!may_record) return Choice::kExecute;
    *graph = new (object_allocate(worker, sizeof(TaskGraph))) TaskGraph;
    (*graph)->key = key;
    (*graph)->next = *bucket_of(key);
    ++(*graph)->references; // the first instance, in use by the recording and then by the tasks that it made
    thread_fence(std::memory_order_release); // pairs with the fork(), as below: a child finds whole lists
    *bucket_of(key) = *graph;
    graph_begin_record(worker, *graph);
    return Choice::kRecord;
  }
  if (found->state != TaskGraph::kRecorded || current->is(kObserved)) return Choice::kExecute;
  if (found->has_events && current->is(kIncludes)) return Choice::kExecute;
  if (GraphInstance* own = found->has_dependences ? own_replay_locked(found, current) : nullptr) {
    // The current task has begun a replay of this graph, and the new tasks may depend on its tasks. So the current task
    // waits for all of these.
    *instance = own;
    return Choice::kWaitFirst;
  }
  *graph = found;
  for (GraphInstance* each = found->instances; each != nullptr; each = each->next)
    if (is_free(each)) {
      claim_locked(each, current);
      *instance = each;
      return Choice::kReplay;
    }
  if (found->single) return Choice::kExecute;
  ++found->references; // of the instance that the caller makes
  return Choice::kReplay;
}

static void add_instance(TaskGraph* graph, GraphInstance* instance, Task* parent) {
  instance->parent = parent;
  instance->busy.store(1, std::memory_order_relaxed); // relaxed: the lock releases it
  std::lock_guard guard(graphs_lock);
  instance->next = graph->instances;
  thread_fence(std::memory_order_release); // pairs with the fork()
  graph->instances = instance;
}

// ---- Regions --------------------------------------------------------------------------------------------------------

static GraphRegion* open_region(Worker* worker, TaskGraph* recorded, bool has_group) {
  auto region = new (object_allocate(worker, sizeof(GraphRegion))) GraphRegion{};
  region->outer = worker->graphs.regions;
  region->task = worker->current;
  region->recorded = recorded;
  region->has_group = has_group;
  worker->graphs.regions = region;
  return region;
}

/// The current task leaves its innermost region; null: it is in none. Other tasks on the worker may have stopped in
/// later ones.
static GraphRegion* close_region(Worker* worker) {
  GraphRegion** place = &worker->graphs.regions;
  while (*place != nullptr && (*place)->task != worker->current) place = &(*place)->outer;
  GraphRegion* region = *place;
  if (region != nullptr) *place = region->outer;
  return region;
}

bool graph_region_is_open(const Worker* worker, const Task* task) {
  for (const GraphRegion* each = worker->graphs.regions; each != nullptr; each = each->outer)
    if (each->task == task) return true;
  return false;
}

/// The current task records from here on, or no longer.
static void set_recording(Worker* worker, bool records) {
  Task* current = worker->current;
  current->flags = records ? current->flags | kRecords : current->flags & ~kRecords;
  bool others = false; // whether other tasks of the worker record
  for (GraphRegion* each = worker->graphs.regions; each != nullptr; each = each->outer)
    others |= each->recorded != nullptr;
  stack_watch_waits(worker, records || others);
}

bool graph_begin(Worker* worker, GraphKey key, uint32_t clauses, void* captures) {
  Task* current = worker->current;
  bool has_group = (clauses & kGraphNoGroup) == 0;
  // A construct in the region of another one is part of that one's record.
  bool nested = current->is(kRecords);
  TaskGraph* graph = nullptr;
  TaskGraph* dropped = nullptr;
  GraphInstance* instance = nullptr;
  Choice choice = Choice::kExecute;
  while (!nested) {
    choice = choose(worker, key, clauses, !current->is(kObserved | kIncludes), &graph, &instance, &dropped);
    if (dropped != nullptr) graph_free(worker, dropped);
    if (choice != Choice::kWaitFirst) break;
    clauses &= ~kGraphReset;
    wait_until_zero(worker, &instance->sinks_left);
    graph_instance_release(worker, instance);
    instance = nullptr; // children may still keep headers of its tasks: then another one is made
  }
  if (has_group) taskgroup_begin(worker);
  GraphRegion* region = open_region(worker, choice == Choice::kRecord ? graph : nullptr, has_group);
  if (choice == Choice::kExecute) return true;
  if (choice == Choice::kRecord) {
    region->marks = (clauses & kGraphMarks) != 0;
    region->table = dependence_table_create(worker);
    set_recording(worker, true);
    return true;
  }
  if (instance == nullptr) {
    instance = graph_instance_make(worker, graph);
    add_instance(graph, instance, current);
  }
  wait_for_recorded_dependences(worker); // for tasks made outside the construct
  graph_replay(worker, instance, captures);
  return false;
}

void graph_end(Worker* worker) {
  GraphRegion* region = close_region(worker);
  if (region == nullptr) return;
  if (TaskGraph* graph = region->recorded) {
    set_recording(worker, false);
    dependence_table_destroy(worker, region->table);
    region->groups.clear(worker);
    graph_seal(worker, graph);
    GraphInstance* first = graph->instances; // others may add more as soon as it is recorded
    {
      std::lock_guard guard(graphs_lock);
      if (graph->state == TaskGraph::kRecording) graph->state = TaskGraph::kRecorded;
    }
    graph_instance_release(worker, first);
  }
  bool has_group = region->has_group;
  object_free(worker, region, sizeof(GraphRegion));
  if (has_group) taskgroup_end(worker);
}

void graphs_reset_after_fork() { graphs_lock.reset_after_fork(); }

} // namespace chomp
