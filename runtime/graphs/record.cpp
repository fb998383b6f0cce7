// Records: what a region did becomes a TaskGraph, and a TaskGraph instances. See graph.h.
//
// The dependences of recorded tasks are found by the table that also serves ordinary ones, filled with shadows: nodes
// of tasks that never finish. So the table drops no edge, however fast the recorded tasks run.
#include "runtime/dependences/task_deps.h"
#include "runtime/graphs/graph.h"
#include "runtime/tasks/task_alloc.h"
#include "runtime/tasks/taskgroup.h"

namespace chomp {

// What a record can hold of a task; for kDestructors and the size it has fields of its own. A task with kNotHeld gives
// the graph up: its region is gone through each time. All other flags are of one run: the replaying task's, from which
// a child has them, or set while the task runs. And with kPool a free agent *may* run the task, but need not.
static constexpr uint32_t kHeldFlags = kMakersFlags | kHasAffinity | 0x3fu << kSizeClassShift;
static constexpr uint32_t kNotHeld = kOwnIcvs;
static constexpr uint32_t kOfOneRun = kIcvMask | kPool | kRecords | kObserved | kExported | kImplicit | kSelfRequeued |
                                      kCalledByProgram | kHasDependences | kUncounted | kHasExtra | kHeld;
static_assert((kHeldFlags ^ kNotHeld ^ kOfOneRun) == UINT32_MAX &&
              (kHeldFlags & kNotHeld) + (kHeldFlags & kOfOneRun) + (kNotHeld & kOfOneRun) == 0);

/// The innermost region of the current task, which records.
static GraphRegion* recording_region(Worker* worker) {
  GraphRegion* region = worker->graphs.regions;
  while (region->task != worker->current || region->recorded == nullptr) region = region->outer;
  return region;
}

static void add_step(Worker* worker, TaskGraph* graph, GraphStep::Kind kind, uint32_t index) {
  graph->steps.add(worker) = {kind, index};
  if (kind != GraphStep::kTask) graph->phased = true;
}

void graph_give_up(Worker* worker) { recording_region(worker)->recorded->state = TaskGraph::kNotRecordable; }

// ---- Notes ----------------------------------------------------------------------------------------------------------

static DependenceNode* shadow_of(Worker* worker, GraphNode* node) {
  auto shadow = new (object_allocate(worker, sizeof(DependenceNode))) DependenceNode(nullptr, nullptr);
  shadow->task = reinterpret_cast<Task*>(node); // not a task: the node to which the edges lead back
  return shadow;
}

static GraphNode* add_node(Worker* worker, TaskGraph* graph, Task* task) {
  auto node = new (object_allocate(worker, sizeof(GraphNode))) GraphNode;
  node->task = task;
  node->instance = graph->instances;
  node->index = graph->tasks.count;
  graph->tasks.add(worker).node = node;
  return node;
}

/// A copy of a payload as it is now, with the block's last bytes, of which the program may not know.
static char* image_of(Worker* worker, const TaskPayload* payload, uint32_t lines) {
  auto image = static_cast<char*>(object_allocate(worker, size_t{lines} * kLine));
  memcpy(image, payload, size_t{lines} * kLine);
  reinterpret_cast<TaskPayload*>(image)->part_id = 0;
  return image;
}

static uint32_t lines_of(const Task* task) { return static_cast<uint32_t>(task_payload_capacity(task) / kLine); }

static uint32_t shareds_of(const TaskPayload* payload) {
  auto begin = reinterpret_cast<uintptr_t>(payload), shareds = reinterpret_cast<uintptr_t>(payload->shareds);
  return payload->shareds == nullptr ? 0 : static_cast<uint32_t>(shareds - begin);
}

/// The record takes the task over: the task, and the objects of its payload, stay when it has run.
static GraphNode* adopt(Worker* worker, GraphRegion* region, Task* task) {
  TaskGraph* graph = region->recorded;
  task->flags &= ~kRecords;
  GraphNode* node = add_node(worker, graph, task);
  if (task->extra != nullptr) {
    node->extra = *task->extra;
    task_extra_free(worker, task);
  }
  node->extra.graph_role = GraphRole::kRecorded;
  task->extra = &node->extra;
  graph->instances->busy.fetch_add(1, std::memory_order_relaxed); // relaxed: the recording uses it too

  TaskPayload* payload = task->payload();
  GraphTask& record = graph->tasks.items[node->index];
  if (task->is(kNotHeld)) graph->state = TaskGraph::kNotRecordable;
  record.flags = task->flags & kHeldFlags & ~kDestructors;
  graph->flags |= record.flags;
  record.lines = lines_of(task);
  record.shareds = shareds_of(payload);
  record.group = region->groups.count == 0 ? 0 : region->groups.items[region->groups.count - 1];
  record.relocate = region->relocate;
  record.clone = region->clone;
  if (record.relocate != nullptr) graph->has_captures = true;
  region->relocate = nullptr;
  region->clone = nullptr;
  region->marked = false;
  if (task->is(kDestructors)) {
    if (payload->data1.destructors == nullptr) graph->state = TaskGraph::kNotRecordable; // its body destroys them
    record.destructors = payload->data1.destructors;
  }
  // Objects with constructors are used again as they are. Each replay finds all else as it was recorded.
  if (!task->is(kDestructors) || record.clone != nullptr) record.image = image_of(worker, payload, record.lines);
  if (task->is(kDestructors) && record.clone == nullptr) graph->single = true;
  if (task->is(kDetachable) && node->extra.event != nullptr) {
    record.event = node->extra.event;
    record.event->kept = true;
    graph->single = graph->has_events = true; // the program has the handle of this one event
  }
  task->flags = (task->flags & ~kDestructors) | kHasExtra;
  return node;
}

void graph_note_task(Worker* worker, Task* task, const DependenceList* list) {
  if (!worker->current->is(kRecords)) { // it was allocated before the region began
    task->flags &= ~kRecords;
    return;
  }
  GraphRegion* region = recording_region(worker);
  if (region->marks && !region->marked) { // replayable(false)
    task->flags &= ~kRecords;
    return;
  }
  TaskGraph* graph = region->recorded;
  GraphNode* node = adopt(worker, region, task);
  add_step(worker, graph, GraphStep::kTask, node->index);
  if (list == nullptr || list->empty()) return;
  DependenceNode* shadow = shadow_of(worker, node);
  dependences_access(worker, region->table, shadow, *list);
  graph->tasks.items[node->index].shadow = shadow;
  graph->has_dependences = true;
}

void graph_note_functions(Worker* worker, GraphRelocate relocate, GraphClone clone) {
  GraphRegion* region = recording_region(worker);
  region->relocate = relocate;
  region->clone = clone;
  region->marked = true;
}

void graph_note_undeferred(Worker* worker, Task* task) {
  if (!worker->current->is(kRecords)) {
    task->flags &= ~kRecords;
    return;
  }
  GraphRegion* region = recording_region(worker);
  if (task->is(kDetachable)) return graph_give_up(worker); // its siblings may depend on its event
  GraphNode* node = adopt(worker, region, task);
  add_step(worker, region->recorded, GraphStep::kUndeferred, node->index);
}

void graph_note_wait(Worker* worker) {
  TaskGraph* graph = recording_region(worker)->recorded;
  if (graph->steps.count != 0) add_step(worker, graph, GraphStep::kWait, 0);
}

void graph_note_wait_for(Worker* worker, const DependenceList& list) {
  GraphRegion* region = recording_region(worker);
  if (list.empty() || region->marks) return;
  TaskGraph* graph = region->recorded;
  GraphNode* node = add_node(worker, graph, nullptr);
  DependenceNode* shadow = shadow_of(worker, node);
  dependences_await(worker, region->table, shadow, list);
  graph->tasks.items[node->index].shadow = shadow;
  add_step(worker, graph, GraphStep::kWaitFor, node->index);
}

void graph_note_group_begin(Worker* worker) {
  GraphRegion* region = recording_region(worker);
  uint32_t group = region->recorded->group_count++;
  region->groups.add(worker) = group;
  add_step(worker, region->recorded, GraphStep::kGroupBegin, group);
}

void graph_note_group_end(Worker* worker) {
  GraphRegion* region = recording_region(worker);
  if (region->groups.count == 0) return;
  --region->groups.count;
  add_step(worker, region->recorded, GraphStep::kGroupEnd, 0);
}

void graph_note_reduction(Worker* worker, int count, const ReductionItem* items) {
  TaskGraph* graph = recording_region(worker)->recorded;
  GraphReduction& reduction = graph->reductions.add(worker);
  for (int i = 0; i < count; ++i) reduction.items.add(worker) = items[i];
  add_step(worker, graph, GraphStep::kReduction, graph->reductions.count - 1);
}

void graph_note_taskloop(Worker* worker, const Taskloop& loop) {
  GraphRegion* region = recording_region(worker);
  if (region->marks) return;
  TaskGraph* graph = region->recorded;
  Task* pattern = loop.pattern;
  if (pattern->is(kNotHeld | kDestructors | kDetachable) || pattern->extra != nullptr) return graph_give_up(worker);
  auto begin = reinterpret_cast<char*>(pattern->payload());
  GraphLoop& record = graph->loops.add(worker);
  record.loop = loop;
  record.loop.pattern = nullptr;
  record.lines = lines_of(pattern);
  record.flags = pattern->flags & kMakersFlags;
  record.shareds = shareds_of(pattern->payload());
  record.lower = static_cast<uint32_t>(reinterpret_cast<char*>(loop.lower) - begin);
  record.upper = static_cast<uint32_t>(reinterpret_cast<char*>(loop.upper) - begin);
  record.routine = pattern->payload()->routine;
  record.image = image_of(worker, pattern->payload(), record.lines);
  add_step(worker, graph, GraphStep::kTaskloop, graph->loops.count - 1);
}

// ---- The record is complete -----------------------------------------------------------------------------------------

static uint32_t index_of_resource(const TaskGraph* graph, const MutexResource* resource) {
  uint32_t i = 0;
  while (i < graph->resources.count && graph->resources.items[i] != resource) ++i;
  return i;
}

/// The shadow's edges become successors of its predecessors, and its claims numbers of resources.
static void take_edges(Worker* worker, TaskGraph* graph, GraphTask& record, uint32_t index) {
  DependenceNode* shadow = record.shadow;
  dependence_node_each_predecessor(shadow, [&](DependenceNode* predecessor) {
    auto from = reinterpret_cast<GraphNode*>(predecessor->task);
    graph->tasks.items[from->index].successors.add(worker) = index;
    ++record.predecessors;
  });
  if (shadow->claim == nullptr) return;
  for (uint32_t i = 0; i < shadow->claim->count; ++i) {
    uint32_t number = index_of_resource(graph, shadow->claim->resources[i]);
    if (number == graph->resources.count) graph->resources.add(worker) = shadow->claim->resources[i];
    uint32_t at = record.resources.count;
    record.resources.add(worker);
    for (; at > 0 && record.resources.items[at - 1] > number; --at)
      record.resources.items[at] = record.resources.items[at - 1];
    record.resources.items[at] = number;
  }
}

static void free_shadow(Worker* worker, DependenceNode* shadow) {
  dependence_node_free_edges(worker, shadow);
  dependence_node_drop_claim(worker, shadow);
  object_free(worker, shadow, sizeof(DependenceNode));
}

static GraphPlan* make_plan(Worker* worker, TaskGraph* graph, GraphInstance* instance, const GraphTask& record) {
  uint32_t successors = record.successors.count;
  auto plan = new (object_allocate(worker, sizeof(GraphPlan) + successors * sizeof(GraphNode*))) GraphPlan{};
  plan->image = record.destructors == nullptr ? record.image : nullptr;
  plan->lines = record.lines;
  plan->flags = record.flags | kHasExtra | (graph->phased ? 0 : kExported);
  plan->shareds = record.shareds;
  plan->initial = record.predecessors + (graph->phased ? 1 : 0);
  plan->group = record.group;
  plan->successor_count = successors;
  for (uint32_t i = 0; i < successors; ++i) plan->successors[i] = instance->nodes[record.successors.items[i]];
  bool plain = plan->image != nullptr && !graph->phased && record.event == nullptr && record.resources.count == 0 &&
               (record.flags & (kDetachable | kHasAffinity)) == 0;
  if (plain) return plan;
  plan->rare = new (object_allocate(worker, sizeof(GraphRare))) GraphRare{nullptr, record.event};
  if (record.resources.count == 0) return plan;
  auto claimant = new (object_allocate(worker, sizeof(DependenceNode))) DependenceNode(nullptr, nullptr);
  plan->rare->claimant = claimant;
  for (uint32_t number : record.resources) {
    instance->resources[number].references.fetch_add(1, std::memory_order_relaxed); // relaxed: nobody else has it yet
    dependence_node_claim(worker, claimant, &instance->resources[number]);
  }
  return plan;
}

/// Makes what an instance has beside its tasks.
static void furnish(Worker* worker, TaskGraph* graph, GraphInstance* instance) {
  uint32_t resources = graph->resources.count;
  if (resources != 0) {
    void* room = object_allocate(worker, resources * sizeof(MutexResource));
    instance->resources = static_cast<MutexResource*>(room);
    for (uint32_t i = 0; i < resources; ++i) new (&instance->resources[i]) MutexResource;
  }
  instance->groups = static_cast<Taskgroup**>(object_allocate(worker, graph->group_count * sizeof(Taskgroup*)));
  for (uint32_t i = 0; i < graph->tasks.count; ++i) {
    GraphNode* node = instance->nodes[i];
    node->plan = make_plan(worker, graph, instance, graph->tasks.items[i]);
    if (node->plan->rare != nullptr && node->plan->rare->claimant != nullptr)
      node->plan->rare->claimant->task = node->task;
    // relaxed: the next user of the instance takes the lock after us.
    node->predecessors.store(node->plan->initial, std::memory_order_relaxed);
  }
}

static GraphInstance* instance_shell(Worker* worker, TaskGraph* graph) {
  auto instance = new (object_allocate(worker, sizeof(GraphInstance))) GraphInstance{};
  instance->graph = graph;
  return instance;
}

static void make_room_for_nodes(Worker* worker, TaskGraph* graph, GraphInstance* instance) {
  if (graph->tasks.count != 0)
    instance->nodes = static_cast<GraphNode**>(object_allocate(worker, graph->tasks.count * sizeof(GraphNode*)));
}

void graph_begin_record(Worker* worker, TaskGraph* graph) {
  graph->instances = instance_shell(worker, graph);
  graph->instances->ran_as_recorded = true;
  graph->instances->busy.store(1, std::memory_order_relaxed); // relaxed: nobody else has it yet
}

void graph_seal(Worker* worker, TaskGraph* graph) {
  for (uint32_t i = 0; i < graph->tasks.count; ++i)
    if (GraphTask& record = graph->tasks.items[i]; record.shadow != nullptr) take_edges(worker, graph, record, i);
  GraphInstance* first = graph->instances;
  make_room_for_nodes(worker, graph, first);
  for (uint32_t i = 0; i < graph->tasks.count; ++i) {
    GraphTask& record = graph->tasks.items[i];
    if (record.shadow != nullptr) free_shadow(worker, record.shadow);
    record.shadow = nullptr;
    first->nodes[i] = record.node;
    if (record.node->task != nullptr && record.successors.count == 0) ++graph->sinks;
    if (record.predecessors == 0) graph->roots.add(worker) = i;
  }
  furnish(worker, graph, first);
}

// ---- More instances -------------------------------------------------------------------------------------------------

static GraphNode* copy_node(Worker* worker, GraphInstance* instance, const GraphTask& record) {
  auto node = new (object_allocate(worker, sizeof(GraphNode))) GraphNode;
  node->instance = instance;
  node->index = record.node->index;
  if (record.node->task == nullptr) return node;
  unsigned size_class = record.flags >> kSizeClassShift;
  Task* task = block_allocate(worker, size_class);
  DCHECK(task->extra == nullptr && task->local_children == 0);
  node->task = task;
  node->extra.affinity = record.node->extra.affinity;
  node->extra.graph_role = GraphRole::kReplayed;
  task->extra = &node->extra;
  task->flags = record.flags;
  TaskPayload* payload = task->payload();
  memcpy(payload, record.image, size_t{record.lines} * kLine);
  if (record.shareds != 0) payload->shareds = reinterpret_cast<char*>(payload) + record.shareds;
  if (record.clone != nullptr) record.clone(payload, record.node->task->payload(), 0);
  return node;
}

GraphInstance* graph_instance_make(Worker* worker, TaskGraph* graph) {
  GraphInstance* instance = instance_shell(worker, graph);
  make_room_for_nodes(worker, graph, instance);
  for (uint32_t i = 0; i < graph->tasks.count; ++i)
    instance->nodes[i] = copy_node(worker, instance, graph->tasks.items[i]);
  furnish(worker, graph, instance);
  return instance;
}

static void free_node(Worker* worker, const GraphTask& record, GraphNode* node) {
  GraphPlan* plan = node->plan;
  if (GraphRare* rare = plan->rare) {
    if (rare->claimant != nullptr) {
      dependence_node_drop_claim(worker, rare->claimant);
      object_free(worker, rare->claimant, sizeof(DependenceNode));
    }
    if (rare->event != nullptr) object_free(worker, rare->event, sizeof(DetachEvent));
    object_free(worker, rare, sizeof(GraphRare));
  }
  if (node->extra.table != nullptr) dependence_table_destroy(worker, node->extra.table);
  if (Task* task = node->task) {
    if (record.destructors != nullptr) record.destructors(worker->gtid, task->payload());
    task->extra = nullptr;
    block_free(worker, task, record.flags >> kSizeClassShift);
  }
  object_free(worker, plan, sizeof(GraphPlan) + plan->successor_count * sizeof(GraphNode*));
  object_free(worker, node, sizeof(GraphNode));
}

static void free_instance(Worker* worker, TaskGraph* graph, GraphInstance* instance) {
  uint32_t count = graph->tasks.count;
  for (uint32_t i = 0; i < count; ++i) free_node(worker, graph->tasks.items[i], instance->nodes[i]);
  if (count != 0) object_free(worker, instance->nodes, count * sizeof(GraphNode*));
  if (instance->quick != nullptr) object_free(worker, instance->quick, count * sizeof(GraphQuick));
  object_free(worker, instance->groups, graph->group_count * sizeof(Taskgroup*));
  if (uint32_t resources = graph->resources.count)
    object_free(worker, instance->resources, resources * sizeof(MutexResource));
  object_free(worker, instance, sizeof(GraphInstance));
}

void graph_free(Worker* worker, TaskGraph* graph) {
  while (GraphInstance* instance = graph->instances) {
    graph->instances = instance->next;
    free_instance(worker, graph, instance);
  }
  for (GraphTask& record : graph->tasks) {
    if (record.image != nullptr) object_free(worker, record.image, size_t{record.lines} * kLine);
    record.successors.clear(worker);
    record.resources.clear(worker);
  }
  for (GraphReduction& reduction : graph->reductions) reduction.items.clear(worker);
  for (GraphLoop& loop : graph->loops) object_free(worker, loop.image, size_t{loop.lines} * kLine);
  graph->tasks.clear(worker);
  graph->steps.clear(worker);
  graph->roots.clear(worker);
  graph->reductions.clear(worker);
  graph->loops.clear(worker);
  graph->resources.clear(worker);
  object_free(worker, graph, sizeof(TaskGraph));
}

} // namespace chomp
