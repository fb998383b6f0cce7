// Replays: the tasks of an instance run again, by counters and lists of successors alone. See graph.h.
//
// In a graph of tasks alone, the replaying task makes those ready that have no predecessor, and the ends of these make
// the others ready. The instance counts as one child of the replaying task, as one exported task of the team, and in
// the taskgroup; the last task without successors counts it as finished. In a graph with waits or groups in between the
// replaying task goes through its steps, and each task counts by itself.
#include "runtime/base/os_linux.h"
#include "runtime/base/policy.h"
#include "runtime/config/config.h"
#include "runtime/core/icv.h"
#include "runtime/dependences/task_deps.h"
#include "runtime/graphs/graph.h"
#include "runtime/stealing/publish.h"
#include "runtime/tasks/destination.h"
#include "runtime/stealing/task_affinity.h"
#include "runtime/tasks/task_alloc.h"
#include "runtime/tasks/task_finish.h"
#include "runtime/tasks/task_run.h"
#include "runtime/tasks/task_spawn.h"
#include "runtime/tasks/taskgroup.h"
#include "runtime/threads/wake.h"
#include "runtime/wait/work_loop.h"

namespace chomp {

// ---- Making tasks ready ---------------------------------------------------------------------------------------------

/// Fills a task's header as if the replaying task had just made the task. Nobody else sees it yet.
static inline void renew_header(GraphInstance* instance, GraphNode* node) {
  const GraphPlan* plan = node->plan;
  Task* task = node->task;
  task->flags = plan->flags | instance->inherited;
  // release: pairs with the acquire fence of an ancestor walk that finds the header reused (constraint.cpp).
  task->parent.store(instance->parent, std::memory_order_release);
  task->identity.store(instance->identity, std::memory_order_relaxed); // relaxed: as in Task::descend_from()
  task->taskgroup = instance->groups[plan->group];
  node->extra.throttled = Throttled::kNo;
  node->extra.detachable_children = false;
}

/// The worker that makes tasks ready, and whether they may run on its stack.
struct GraphReleaser {
  Worker* worker;
  Team* team;
  bool may_run;
};

static inline void make_ready(const GraphReleaser& by, GraphInstance* instance, GraphNode* node) {
  if (!instance->graph->phased) renew_header(instance, node);
  const GraphRare* rare = node->plan->rare;
  if (CHOMP_UNLIKELY(rare != nullptr) && rare->claimant != nullptr && !mutex_claim_acquire(rare->claimant, true))
    return;
  if (CHOMP_LIKELY(by.may_run)) return task_make_ready_here(by.worker, node->task);
  send(by.worker, by.team, node->task, Cause::kEvent);
}

/// The replaying task waits for the node's predecessors, one of which has finished.
CHOMP_SLOW static void predecessor_of_wait_finished(GraphInstance* instance, GraphNode* node) {
  Worker* waiter = instance->worker; // read before the count: the instance may be gone after it
  // acq_rel: pairs with itself among the predecessors, and with acquire in wait_until_zero().
  if (node->predecessors.fetch_sub(1, std::memory_order_acq_rel) == 1) worker_wake(waiter);
}

static inline bool predecessor_finished(const GraphReleaser& by, GraphInstance* instance, GraphNode* node) {
  if (CHOMP_UNLIKELY(node->task == nullptr)) {
    predecessor_of_wait_finished(instance, node);
    return false;
  }
  // As for dependences (dependence_release.cpp): acquire and acq_rel pair with the decrements of the others.
  if (node->predecessors.load(std::memory_order_acquire) != 1 &&
      node->predecessors.fetch_sub(1, std::memory_order_acq_rel) != 1)
    return false;
  make_ready(by, instance, node);
  return true;
}

// ---- The end of a task ----------------------------------------------------------------------------------------------

static inline void renew_bytes(Task* task, const char* image, uint32_t lines, uint32_t shareds) {
  auto payload = reinterpret_cast<char*>(task->payload());
#pragma clang loop unroll(disable)
  for (uint32_t line = 0; line < lines; ++line)
    __builtin_memcpy_inline(payload + line * kLine, image + line * kLine, kLine);
  if (shareds != 0) task->payload()->shareds = payload + shareds;
}

/// Restores the recorded payload: the program may have written to it.
static inline void renew_payload(const GraphPlan* plan, Task* task) {
  if (CHOMP_LIKELY(plan->image != nullptr))
    renew_bytes(task, plan->image, plan->lines, plan->shareds);
  else
    task->payload()->part_id = 0;
}

/// Counts an instance, or a task of a phased graph, as finished: as one child, one exported task and one task of the
/// group.
static void count_finished(Worker* worker, Team* team, Taskgroup* group, Task* parent) {
  taskgroup_count_finished(group);
  task_count_child_finished(worker, parent);
  task_count_completed(worker, team);
}

/// Called when all tasks of the replay have finished: counts it as finished. The instance must not be touched any more.
static void instance_finished(Worker* worker, GraphInstance* instance) {
  Task* parent = instance->parent;
  Team* team = instance->team;
  Worker* waiter = instance->worker;
  Taskgroup* group = instance->groups[0];
  bool phased = instance->graph->phased;
  graph_instance_release(worker, instance);
  if (waiter != worker) worker_wake(waiter); // the waiter may need the end of this replay to begin another
  if (!phased) count_finished(worker, team, group, parent);
}

static inline void sink_finished(Worker* worker, GraphInstance* instance) {
  // acq_rel: pairs with itself: the last one sees what all have done.
  if (instance->sinks_left.fetch_sub(1, std::memory_order_acq_rel) == 1) instance_finished(worker, instance);
}

/// Sets the task's own count to what was recorded, and lowers those of its successors by one. The instance may be gone
/// afterwards.
static inline bool release_successors(const GraphReleaser& by, GraphInstance* instance, GraphNode* node,
                                      GraphPlan* plan) {
  // relaxed: the next replay begins after this one's last task, whose counts order it.
  node->predecessors.store(plan->initial, std::memory_order_relaxed);
  uint32_t left = plan->successor_count;
  if (left == 0) {
    sink_finished(by.worker, instance);
    return false;
  }
  bool released = false;
  // All reads of the node come before the last successor's count.
  for (GraphNode** successor = plan->successors; left != 0; --left, ++successor)
    released |= predecessor_finished(by, instance, *successor);
  return released;
}

/// Called when a lent task has finished. The replaying task goes on with its successors, and with its header unless
/// that is `held`. But if it has not waited, this thread releases the successors.
CHOMP_SLOW static void lent_finished(const GraphReleaser& by, GraphInstance* instance, GraphNode* node, GraphPlan* plan,
                                     bool held) {
  node->extra.graph_lent = held;
  // acq_rel: pairs with the replaying task's load and compare-exchange, both ways.
  if (instance->lent.exchange(0, std::memory_order_acq_rel) != GraphInstance::kLeft) return;
  node->extra.graph_lent = false;
  release_successors(by, instance, node, plan);
}

/// Lowers the counts of tasks from `done` on, for those before `first`, which have run in the recorded order. relaxed,
/// all: nobody else has the instance.
static void count_first(GraphInstance* instance, uint32_t first, uint32_t done) {
  for (uint32_t i = 0; i < first; ++i) {
    GraphPlan* plan = instance->nodes[i]->plan;
    for (uint32_t k = 0; k < plan->successor_count; ++k) {
      GraphNode* successor = plan->successors[k];
      if (successor->index < done) continue;
      atomic<uint32_t>& count = successor->predecessors;
      count.store(count.load(std::memory_order_relaxed) - 1, std::memory_order_relaxed);
    }
  }
}

/// The end of a task. Of its runner and the thread that fulfils its event, the last one calls this. `held`: the header
/// is still held, and will be released.
static inline void finish(const GraphReleaser& by, Task* task, bool held) {
  GraphNode* node = GraphNode::of(task);
  GraphInstance* instance = node->instance;
  GraphPlan* plan = node->plan;
  if (CHOMP_UNLIKELY(node->extra.table != nullptr)) dependence_table_free(by.worker, task);
  if (CHOMP_UNLIKELY(!held && has_counts(task))) {
    instance->busy.fetch_add(1, std::memory_order_relaxed); // relaxed: the replay uses it
    held = true;
  }
  renew_payload(plan, task);
  if (CHOMP_UNLIKELY(held)) task_leave_header(by.worker, task, false); // before the counts: the parent may go with them
  if (CHOMP_UNLIKELY(node->extra.graph_lent)) {
    lent_finished(by, instance, node, plan, held);
  } else if (instance->mode == ReplayMode::kParallel) {
    if (CHOMP_UNLIKELY(plan->rare != nullptr) && plan->rare->claimant != nullptr)
      mutex_claim_release(by.worker, by.team, by.may_run, plan->rare->claimant);
    release_successors(by, instance, node, plan);
  }
}

static inline void finish_counted(const GraphReleaser& by, Task* task, bool held) {
  GraphNode* node = GraphNode::of(task);
  bool counted = task->is(kExported) && (node->extra.graph_lent || node->instance->graph->phased);
  Task* parent = task->parent.load(std::memory_order_relaxed); // relaxed: nobody writes it any more
  Taskgroup* group = task->taskgroup;
  finish(by, task, held);
  if (CHOMP_UNLIKELY(counted)) count_finished(by.worker, by.team, group, parent);
}

void graph_finish_task(Worker* worker, Member* member, Task* task) {
  Team* team = member->team;
  bool held = false;
  if (CHOMP_UNLIKELY(task->is(kOwnIcvs))) icvs_release(worker, task);
  if (CHOMP_UNLIKELY(task->is(kHasAffinity))) affinity_remember(member, task);
  if (CHOMP_UNLIKELY(may_end_elsewhere(task))) {
    GraphNode::of(task)->instance->busy.fetch_add(1, std::memory_order_relaxed); // relaxed: the replay uses it
    if (!task_detach_at_end(worker, member, task)) return;
    held = true;
  }
  const Task* parent = task->parent.load(std::memory_order_relaxed); // relaxed: nobody writes it any more
  finish_counted({worker, team, !team->serial()}, task, held);
  if (!pops_next(member, worker->current, parent)) publish_if_requested(member);
}

bool graph_finish_quick(Worker* worker, Member* member, Task* task, Task* below, uint64_t floor) {
  GraphNode* node = GraphNode::of(task);
  GraphPlan* plan = node->plan;
  bool left_nothing = member->deque.top() == member->deque.floor() && !has_counts(task) && node->extra.table == nullptr;
  if (plan->rare != nullptr || !left_nothing || task->is(kOwnIcvs) || node->extra.graph_lent ||
      node->instance->mode != ReplayMode::kParallel)
    return false;
  end_task(worker, member, below, floor);
  renew_payload(plan, task);
  Team* team = member->team;
  const Task* parent = task->parent.load(std::memory_order_relaxed); // relaxed: nobody writes it any more
  bool released = release_successors({worker, team, !team->serial()}, node->instance, node, plan);
  if (released && !pops_next(member, below, parent)) publish_if_requested(member);
  return true;
}

void graph_finish_task_outside(Worker* worker, Team* team, Task* task) {
  finish_counted({worker, team, false}, task, true);
  publish_if_requested(worker->member);
}

void graph_header_released(Worker* worker, Task* task) {
  GraphNode* node = GraphNode::of(task);
  node->extra.graph_role = GraphRole::kReplayed; // a recorded task has run now
  graph_instance_release(worker, node->instance);
}

// ---- Replays --------------------------------------------------------------------------------------------------------

static void relocate_all(TaskGraph* graph, GraphInstance* instance, void* captures) {
  for (uint32_t i = 0; i < graph->tasks.count; ++i) {
    GraphNode* node = instance->nodes[i];
    GraphRelocate relocate = graph->tasks.items[i].relocate;
    if (node->task != nullptr && relocate != nullptr) relocate(node->task->payload(), captures);
  }
}

CHOMP_SLOW static void renew_payloads(TaskGraph* graph, GraphInstance* instance) {
  instance->ran_as_recorded = false;
  for (uint32_t i = 0; i < graph->tasks.count; ++i)
    if (GraphNode* node = instance->nodes[i]; node->task != nullptr) renew_payload(node->plan, node->task);
}

/// Makes the events pending again; the program may fulfil them from now on.
static void renew_events(TaskGraph* graph, GraphInstance* instance) {
  for (uint32_t i = 0; i < graph->tasks.count; ++i) {
    GraphNode* node = instance->nodes[i];
    DetachEvent* event = node->plan->rare == nullptr ? nullptr : node->plan->rare->event;
    if (event == nullptr) continue;
    event->state.store(DetachEvent::kPending,
                       std::memory_order_relaxed); // relaxed, both: no task of the replay runs yet
    event->owed.store(DetachEvent::kOfClause, std::memory_order_relaxed);
    event->task = node->task;
    event->observed = false; // no observed task is replayed
    event->team = instance->team;
    event->team_forgot = instance->team_forgot;
    node->extra.event = event;
  }
}

static void count_instance(Worker* worker) {
  ++worker->current->local_children;
  taskgroup_count_exported(worker->current->taskgroup);
  member_count_exported(worker->member, 1);
}

/// Makes the tasks of a graph that is not phased ready.
static void spawn_all(const GraphReleaser& by, TaskGraph* graph, GraphInstance* instance) {
  count_instance(by.worker);
  const Growing<uint32_t> roots = graph->roots; // the graph may be gone when the last of them has ended
  GraphNode** nodes = instance->nodes;
  for (uint32_t root : roots) make_ready(by, instance, nodes[root]);
  publish_if_requested(by.worker->member);
}

/// The header of a task that the replaying one runs itself.
static inline void renew_header_here(GraphInstance* instance, GraphNode* node) {
  renew_header(instance, node);
  node->task->flags &= ~kExported;
}

static void run_here(Worker* worker, GraphInstance* instance, GraphNode* node) {
  instance->headers_for = nullptr; // the end of the task may change its header
  renew_header_here(instance, node);
  run_undeferred(worker, worker->member, node->task);
}

/// Runs the next task of a graph that is not phased, in its order.
static inline void run_in_order(Worker* worker, Member* member, GraphInstance* instance, GraphNode* node) {
  GraphPlan* plan = node->plan;
  if (CHOMP_UNLIKELY(plan->rare != nullptr || must_run_slow(worker))) return run_here(worker, instance, node);
  renew_header_here(instance, node);
  Task* task = node->task;
  const uint32_t flags = task->flags;
  Task* below = worker->current;
  uint64_t floor = member->deque.floor();
  begin_task(worker, member, task, below, member->deque.top());
  run_body(worker, task);
  end_task(worker, member, below, floor);
  if (CHOMP_UNLIKELY(task->flags != flags || has_counts(task) || node->extra.table != nullptr)) {
    instance->headers_for = nullptr;
    return graph_finish_task(worker, member, task);
  }
  renew_payload(plan, task);
}

/// Makes `quick` if all tasks are plain: all headers are now as a replay like this one needs them.
static void note_quick(Worker* worker, TaskGraph* graph, GraphInstance* instance) {
  const uint32_t count = graph->tasks.count;
  for (uint32_t i = 0; i < count; ++i)
    if (instance->nodes[i]->plan->rare != nullptr) return;
  instance->quick = static_cast<GraphQuick*>(object_allocate(worker, count * sizeof(GraphQuick)));
  for (uint32_t i = 0; i < count; ++i) {
    const GraphPlan* plan = instance->nodes[i]->plan;
    instance->quick[i] = {instance->nodes[i]->task, plan->image, plan->lines, plan->shareds};
  }
}

/// Runs tasks in order from the `first` on while nothing is special about them, without a look at their nodes. Returns
/// how many.
static uint32_t run_quickly(Worker* worker, Member* member, GraphInstance* instance, uint32_t first) {
  const GraphQuick* quick = instance->quick + first;
  const GraphQuick* end = instance->quick + instance->graph->tasks.count;
  const bool may_lend = instance->mode == ReplayMode::kInOrder;
  Task* below = worker->current;
  const uint64_t floor = member->deque.floor(), top = member->deque.top();
  member->deque.raise_floor(top);
  for (; quick != end && !must_run_slow(worker) && !(may_lend && somebody_requests(member)); ++quick) {
    Task* task = quick->task;
    const uint32_t flags = task->flags;
    make_current(worker, task, below);
    run_body(worker, task);
    if (CHOMP_UNLIKELY(task->flags != flags || has_counts(task) || member->deque.top() != top)) {
      end_task(worker, member, below, floor);
      instance->headers_for = nullptr;
      graph_finish_task(worker, member, task);
      return static_cast<uint32_t>(quick + 1 - instance->quick) - first;
    }
    renew_bytes(task, quick->image, quick->lines, quick->shareds);
  }
  end_task(worker, member, below, floor);
  return static_cast<uint32_t>(quick - instance->quick) - first;
}

/// The first `done` tasks of a graph have run in order, but the last of them may be lent and unfinished. The rest now
/// runs in parallel.
static void go_parallel(const GraphReleaser& by, TaskGraph* graph, GraphInstance* instance, uint32_t done, bool lent) {
  Worker* worker = by.worker;
  const uint32_t count = graph->tasks.count, first = lent ? done - 1 : done;
  instance->busy.fetch_add(1,
                           std::memory_order_relaxed); // relaxed: the replay uses it; its tasks may all end meanwhile
  count_first(instance, first, done);
  uint32_t sinks = 0, ready = 0;
  auto starts = static_cast<uint32_t*>(object_allocate(worker, (count - first + 1) * sizeof(uint32_t)));
  for (uint32_t i = first; i < count; ++i) {
    GraphNode* node = instance->nodes[i];
    if (node->plan->successor_count == 0) ++sinks;
    if (i < done) continue;
    if (node->predecessors.load(std::memory_order_relaxed) == 0) starts[ready++] = i; // relaxed: nobody else has it yet
  }
  instance->mode = ReplayMode::kParallel;
  instance->headers_for = nullptr;
  instance->sinks_left.store(sinks, std::memory_order_relaxed); // relaxed: as in graph_replay()
  count_instance(worker);
  uint32_t expected = GraphInstance::kLent;
  // acq_rel: release hands the instance as it is now to the finisher of the lent task; acquire pairs with its exchange.
  if (lent && !instance->lent.compare_exchange_strong(expected, GraphInstance::kLeft, std::memory_order_acq_rel)) {
    instance->nodes[first]->extra.graph_lent = false;
    release_successors(by, instance, instance->nodes[first], instance->nodes[first]->plan);
  }
  for (uint32_t i = 0; i < ready; ++i) make_ready(by, instance, instance->nodes[starts[i]]);
  object_free(worker, starts, (count - first + 1) * sizeof(uint32_t));
  publish_if_requested(worker->member);
  graph_instance_release(worker, instance);
}

/// A member asks for a task, to see whether steals are worth it by now. It gets the next one, and the replaying
/// task waits for that. Else its successors would go the same way, and then all the rest. False: the task takes long.
CHOMP_SLOW static bool lend(const GraphReleaser& by, GraphInstance* instance, GraphNode* node) {
  Member* member = by.worker->member;
  Granularity& granularity = *member->worth;
  renew_header_here(instance, node);
  node->extra.graph_lent = true;
  instance->lent.store(GraphInstance::kLent, std::memory_order_relaxed); // relaxed: released with the task
  task_count_created(by.worker, node->task);
  member->deque.push_growing(node->task);
  publish_if_requested(member);
  const uint64_t began = cycle_counter();
  // acquire: pairs with lent_finished(): what the task wrote.
  while (instance->lent.load(std::memory_order_acquire) != 0) {
    if (Task* task = member->deque.pop_above(member->deque.floor())) {
      run_task(by.worker, member, task);
      continue;
    }
    uint64_t took = cycle_counter() - began;
    if (took > 2 * granularity.longest_short()) {
      granularity.found_long(took);
      return false;
    }
    pause_or_switch();
  }
  if (node->extra.graph_lent)
    instance->headers_for = nullptr; // its children still hold the header
  else
    renew_header_here(instance, node);
  node->extra.graph_lent = false;
  return true;
}

/// Runs the tasks in order. True: all have run. False: the rest runs in parallel.
static bool replay_in_order(const GraphReleaser& by, TaskGraph* graph, GraphInstance* instance) {
  Member* member = by.worker->member;
  const uint32_t count = graph->tasks.count;
  const bool quick = instance->keeps_headers && instance->quick != nullptr;
  for (uint32_t i = 0; i < count; ++i) {
    if (quick && (i += run_quickly(by.worker, member, instance, i)) == count) break;
    GraphNode* node = instance->nodes[i];
    if (instance->mode != ReplayMode::kInOrder || CHOMP_LIKELY(!somebody_requests(member))) {
      run_in_order(by.worker, member, instance, node);
      continue;
    }
    bool pays = member->worth->pays();
    bool may_lend = !pays && node->plan->rare == nullptr;
    if (may_lend && lend(by, instance, node)) continue;
    go_parallel(by, graph, instance, may_lend ? i + 1 : i, may_lend);
    return false;
  }
  if (count != 0 && instance->quick == nullptr && instance->headers_for != nullptr)
    note_quick(by.worker, graph, instance);
  return true;
}

/// Called when the replaying task comes to a task of a phased graph.
static void spawn_one(const GraphReleaser& by, GraphInstance* instance, GraphNode* node) {
  if (instance->mode == ReplayMode::kAlone) return run_here(by.worker, instance, node);
  renew_header(instance, node);
  task_count_created(by.worker, node->task);
  // acq_rel: pairs with the decrements of predecessors, as in predecessor_finished().
  if (node->predecessors.fetch_sub(1, std::memory_order_acq_rel) != 1) return;
  make_ready(by, instance, node);
  publish_if_requested(by.worker->member);
}

static void wait_for_node(Worker* worker, GraphInstance* instance, GraphNode* node) {
  if (instance->mode == ReplayMode::kAlone) return;
  // acq_rel: pairs with the decrements of predecessors.
  if (node->predecessors.fetch_sub(1, std::memory_order_acq_rel) != 1) wait_until_zero(worker, &node->predecessors);
  node->predecessors.store(node->plan->initial, std::memory_order_relaxed); // relaxed: all have been counted
}

static void run_loop(Worker* worker, const GraphLoop& record) {
  Task* pattern = task_allocate(worker, record.flags, size_t{record.lines} * kLine, 0, record.routine);
  TaskPayload* payload = pattern->payload();
  auto begin = reinterpret_cast<char*>(payload);
  memcpy(payload, record.image, size_t{record.lines} * kLine);
  if (record.shareds != 0) payload->shareds = begin + record.shareds;
  Taskloop loop = record.loop;
  loop.pattern = pattern;
  loop.lower = reinterpret_cast<uint64_t*>(begin + record.lower);
  loop.upper = reinterpret_cast<uint64_t*>(begin + record.upper);
  taskloop_run(worker, loop);
}

static void perform_steps(const GraphReleaser& by, TaskGraph* graph, GraphInstance* instance) {
  Worker* worker = by.worker;
  for (const GraphStep& step : graph->steps) switch (step.kind) {
    case GraphStep::kTask: spawn_one(by, instance, instance->nodes[step.index]); break;
    case GraphStep::kWait: task_wait(worker); break;
    case GraphStep::kWaitFor: wait_for_node(worker, instance, instance->nodes[step.index]); break;
    case GraphStep::kUndeferred: run_here(worker, instance, instance->nodes[step.index]); break;
    case GraphStep::kGroupBegin:
      taskgroup_begin(worker);
      instance->groups[step.index] = worker->current->taskgroup;
      break;
    case GraphStep::kGroupEnd: taskgroup_end(worker); break;
    case GraphStep::kReduction: {
      auto& items = graph->reductions.items[step.index].items;
      task_reduction_begin(worker, {.count = static_cast<int>(items.count), .items = items.items});
      break;
    }
    case GraphStep::kTaskloop: run_loop(worker, graph->loops.items[step.index]); break;
    }
}

/// The creator of many short tasks runs them itself (runtime/dependences/README.md, "Short tasks"). So does a task that
/// replays many.
static ReplayMode mode_now(Worker* worker, const TaskGraph* graph) {
  const Team* team = worker->member->team;
  const auto count = static_cast<int64_t>(graph->tasks.count);
  const Throttled state = throttled_next(Throttled::kNo, creator_runs_short_tasks(worker), count);
  NewTask all = new_tasks(worker, graph->flags, state);
  all.included |= team->served != nullptr;
  all.alone = team->serial() && !graph->has_events;
  all.may_wait |= graph->phased || config.max_task_priority != 0;
  if (!runs_here(all)) return ReplayMode::kParallel;
  return all.included || all.alone ? ReplayMode::kAlone : ReplayMode::kInOrder;
}

void graph_replay(Worker* worker, GraphInstance* instance, void* captures) {
  TaskGraph* graph = instance->graph;
  Task* current = worker->current;
  Team* team = worker->member->team;
  const uint64_t identity = current->identity_now() + Task::kOneGeneration;
  const uint32_t inherited = current->flags & kInherited;
  instance->mode = mode_now(worker, graph);
  instance->keeps_headers = instance->headers_for == current && instance->identity == identity &&
                            instance->inherited == inherited && instance->groups[0] == current->taskgroup;
  instance->headers_for = instance->mode == ReplayMode::kParallel || graph->phased ? nullptr : current;
  instance->worker = worker;
  instance->team = team;
  instance->team_forgot = team->forgot;
  instance->identity = identity;
  instance->inherited = inherited;
  instance->groups[0] = current->taskgroup;
  if (CHOMP_UNLIKELY(instance->ran_as_recorded)) renew_payloads(graph, instance);
  if (graph->has_captures) relocate_all(graph, instance, captures);
  if (graph->has_events) renew_events(graph, instance);
  bool parallel = instance->mode == ReplayMode::kParallel;
  // relaxed: released by whatever makes the first task visible.
  instance->sinks_left.store(parallel ? graph->sinks + (graph->phased ? 1 : 0) : 0, std::memory_order_relaxed);
  const GraphReleaser by{worker, team, !team->serial()};
  if (graph->phased) {
    perform_steps(by, graph, instance);
    if (parallel) return sink_finished(worker, instance);
  } else if (parallel && graph->sinks != 0) {
    return spawn_all(by, graph, instance);
  } else if (!replay_in_order(by, graph, instance)) {
    return;
  }
  graph_instance_release(worker, instance);
}

} // namespace chomp
