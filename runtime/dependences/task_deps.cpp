// Making tasks with dependences: see task_deps.h. The table's worker links; dependence_release.cpp releases.
#include "runtime/dependences/task_deps.h"

#include <new>

#include "runtime/config/config.h"
#include "runtime/base/policy.h"
#include "runtime/core/events.h"
#include "runtime/core/memory.h"
#include "runtime/core/team.h"
#include "runtime/threads/running_threads.h"
#include "runtime/dependences/dependence_node.h"
#include "runtime/dependences/dependence_table.h"
#include "runtime/wait/idle.h"
#include "runtime/wait/work_loop.h"
#include "runtime/stealing/publish.h"
#include "runtime/tasks/task_alloc.h"
#include "runtime/tasks/task_graph.h"
#include "runtime/tasks/task_run.h"
#include "runtime/tasks/task_spawn.h"
#include "runtime/tasks/transparent.h"

namespace chomp {

// ---- Items and tables -----------------------------------------------------------------------------------------------

static DependenceKind kind_of(const Dependence& item) {
  switch (item.flags) {
  case Dependence::kIn: return DependenceKind::kIn;
  case Dependence::kMutexInOutSet: return DependenceKind::kMutexInOutSet;
  case Dependence::kInOutSet: return DependenceKind::kInOutSet;
  default: return DependenceKind::kOut; // out, inout
  }
}

/// Calls visit(address, kind) for each item, or visit_all() if one of them is omp_all_memory, which stands for all.
/// Null addresses depend on nothing.
template <typename Visit, typename VisitAll>
static inline void for_each_item(const DependenceList& list, Visit visit, VisitAll visit_all) {
  for (const DependenceList::Part& part : list.parts)
    for (const Dependence* item = part.items; item < part.items + part.count; ++item) {
      if (CHOMP_UNLIKELY((item->flags & Dependence::kAllMemory) != 0 || item->address == UINTPTR_MAX))
        return visit_all();
      if (item->address != 0) visit(item->address, kind_of(*item));
    }
}

void dependences_access(Worker* worker, DependenceTable* table, DependenceNode* node, const DependenceList& list) {
  for_each_item(
      list,
      [&](uintptr_t address, DependenceKind kind) { dependence_table_access(worker, table, node, address, kind); },
      [&] { dependence_table_access_all(worker, table, node); });
}

void dependences_await(Worker* worker, DependenceTable* table, DependenceNode* node, const DependenceList& list) {
  for_each_item(
      list, [&](uintptr_t address, DependenceKind kind) { dependence_table_wait(worker, table, node, address, kind); },
      [&] { dependence_table_wait_all(worker, table, node); });
}

/// In a serial team, and below a task that is kIncludes, a child has finished when its construct ends, or is entered
/// then (dependences_enter_late()): nothing to remember.
static bool tracks(const Worker* worker) {
  const Task* current = worker->current;
  if (current->extra != nullptr && current->extra->table != nullptr) return true;
  return (!worker->member->team->serial() || tasks_may_stop()) && !current->is(kIncludes);
}

static DependenceTable* table_of(Worker* worker, Task* parent) {
  TaskExtra* extra = task_extra(parent);
  if (extra->table == nullptr) extra->table = dependence_table_create(worker);
  return extra->table;
}

void dependences_track_always(Worker* worker) {
  task_extra(worker->current)->detachable_children = true;
  if (!tracks(worker)) table_of(worker, worker->current);
}

/// Spawns a task whose node has no predecessor.
static inline void spawn_without_predecessors(Worker* worker, Task* task, DependenceNode* node) {
  if (CHOMP_LIKELY(node->claim == nullptr) || mutex_claim_acquire(node, false)) return task_spawn(worker, task);
  // It is counted first, since the worker that hands over the resource may run and finish the task before we return.
  task_count_created(worker, task);
  task->flags &= ~kOwnIcvs; // it is deferred after all, with the settings that its parent last shared
  dependences_met(worker, node);
}

// ---- Throttling -----------------------------------------------------------------------------------------------------

// The throttle does not apply: a task that waits for others cannot run at its creation.
using policy::kManyChildren;
static constexpr int64_t kManyIfInDoubt = policy::kThrottle;

/// The current task makes children faster than they finish, and finds none to run: they form a long chain, with which
/// others are busy. So it waits until a child has finished. It does not wait for ever, since the children may wait for
/// what it makes next. The wait takes at most policy::kNsPerChild for each child above `many`, so the time that a child
/// takes bounds their number. The member is requesting meanwhile, since what is ready lies in others' deques.
CHOMP_SLOW static void wait_for_fewer_children(Worker* worker, int64_t children, int64_t many) {
  int64_t began_ns = monotonic_ns(), most_ns = (children - many) * policy::kNsPerChild;
  Wait wait{WaitFor::kChildren};
  Idler idler(worker, worker->member, wait);
  while (children_of(worker->current) >= children) {
    if (Task* task = task_for_yield(worker)) {
      idler.found_work();
      return task_yield_to(worker, task);
    }
    int64_t waited_ns = monotonic_ns() - began_ns;
    if (waited_ns > most_ns) return;
    idler.ask_and_pause();
    if (waited_ns >= policy::kWakeNs || cpu_demand(worker->member->team, true) == CpuDemand::kCertain) cpu_yield();
  }
}

/// A task that makes children faster than they finish runs one of them for each that it makes. The construct is a
/// scheduling point (OpenMP 5.2, 12.9).
static inline void help_if_many(Worker* worker, int64_t children) {
  if (CHOMP_LIKELY(children <= kManyIfInDoubt) || !config.task_throttling) return;
  int64_t many = worker->member->worth->steals_pay() == StealsPay::kYes ? kManyChildren : kManyIfInDoubt;
  if (children <= many || task_yield(worker)) return;
  // Children may be waiting for an event that the current task fulfils, or for a call.
  if (!worker->current->extra->detachable_children && !tasks_may_stop())
    wait_for_fewer_children(worker, children, many);
}

// ---- Creation of tasks with dependences -----------------------------------------------------------------------------

/// Makes the node of a task. The node carries the extra block if the task had none.
static DependenceNode* make_node(Worker* worker, Task* task) {
  auto node = new (object_allocate(worker, sizeof(DependenceNode))) DependenceNode(task, nullptr);
  if (task->extra == nullptr) task->extra = &node->extra;
  task->extra->dependence = node;
  task->flags |= kHasDependences | kHasExtra;
  return node;
}

/// Begins to fetch the nodes that a new task may have to wait for: other threads have ended their tasks.
static inline void fetch_predecessors(const DependenceTable* table, const DependenceList& list) {
  for_each_item(list, [=](uintptr_t address, DependenceKind) { dependence_table_fetch(table, address); }, [] {});
}

/// Gives a task a node and records its accesses: what it has to wait for is gathered in the node.
static inline DependenceNode* record(Worker* worker, DependenceTable* table, Task* task, const DependenceList& list) {
  DependenceNode* node = make_node(worker, task);
  dependences_access(worker, table, node, list);
  // The creator's reference. relaxed: nobody else knows the node yet.
  if (--node->table_references == 0) node->successors.store(DependenceNode::kForgotten, std::memory_order_relaxed);
  return node;
}

/// The same for a task that runs at its creation: no task is left that it would have to wait for, and none holds its
/// resources.
CHOMP_SLOW static void record_running(Worker* worker, Task* parent, Task* task, const DependenceList& list) {
  DependenceNode* node = record(worker, table_of(worker, parent), task, list);
  bool released = node->edge_count == 0 || dependence_node_link(worker, node);
  bool ready = released && (node->claim == nullptr || mutex_claim_acquire(node, false));
  CHECK(ready);
}

void dependences_enter_late(Worker* worker, Task* task) {
  const OpenConstruct* construct = worker->tasks.construct_of(task);
  if (construct == nullptr) return; // they have been noted, or there are none
  // relaxed: the parent lies below.
  record_running(worker, task->parent.load(std::memory_order_relaxed), task, *construct->list);
  if (task->is(kObserved)) task->extra->dependence->tool = observed(task)->tool.data;
}

/// Notifies observers of each predecessor that `node` has gathered. The waiting task is observed.
CHOMP_SLOW static void report_predecessors(Worker* worker, const DependenceNode* node) {
  dependence_node_each_predecessor(
      node, [&](DependenceNode* predecessor) { event_dependence_found(worker, predecessor->tool, node->task); });
}

CHOMP_SLOW static void note_held(Worker* worker, const DependenceNode* node) {
  worker->observe.counters.held.add();
  report_predecessors(worker, node);
}

/// The current task waits for its children that a task with these dependences would wait for. `announced`: observers
/// have been notified of the wait (event_dependences()).
static void wait_for_siblings(Worker* worker, const DependenceList& list, bool announced) {
  TaskExtra* extra = worker->current->extra;
  if (list.empty() || extra == nullptr || extra->table == nullptr) return; // no child ever had dependences
  DependenceTable* table = extra->table;
  DependenceNode node(nullptr, worker);
  dependences_await(worker, table, &node, list);
  if (CHOMP_UNLIKELY(worker->current->is(kObserved)) && announced) report_predecessors(worker, &node);
  if (node.edge_count != 0 && !dependence_node_link(worker, &node)) wait_until_zero(worker, &node.predecessors);
  dependence_node_free_edges(worker, &node);
}

/// Whether the new task may run at its creation untracked: it has no unfinished siblings, and nobody asks for it. While
/// nobody is requesting the creator need not ask whether steals have become worth it: if they have, idle members
/// are requesting. An urgent task would run before others that are more urgent.
static inline bool may_run_untracked(const Worker* worker, const Task* task) {
  const Task* creator = worker->current;
  if (CHOMP_LIKELY(throttled(creator) != Throttled::kRunsThem)) return false;
  NewTask made = new_task(worker, task, Throttled::kRunsThem);
  made.included = false; // it may have unfinished siblings there, too
  made.may_wait |= has_children(creator) || creator->extra->imports || task->is(kPrioritySpecified);
  return runs_here(made);
}

/// The creator of short tasks runs those that it may run and nobody asks for. Other threads may have some of them, and
/// successors of these would go to those threads, too. So it waits for them as long as short tasks take. If they have
/// not ended then, nobody has begun what it has published, and it takes that back. Or the tasks are not short.
static void run_short_tasks(Worker* worker) {
  Member* member = worker->member;
  Granularity& granularity = *member->worth;
  const Task* current = worker->current;
  uint64_t began = 0, count = 0;
  // A limit: tasks may make others without end.
  for (int64_t left = children_of(current) + static_cast<int64_t>(policy::kThrottle);
       has_children(current) && left > 0;) {
    publish_if_requested(member);
    if (Task* task = member->deque.pop_above(member->deque.floor())) {
      run_task(worker, member, task);
      --left;
      continue;
    }
    if (current->extra->detachable_children) return; // they may wait for an event that this task fulfils
    uint64_t now = cycle_counter();
    if (began == 0) {
      began = now;
      count = static_cast<uint64_t>(children_of(current)) + 1; // a task may end while we count
    }
    if (now - began > count * granularity.longest_short()) {
      if (!task_yield(worker)) return granularity.found_long((now - began) / count);
      --left;
      began = 0;
    }
    pause_or_switch();
  }
  publish_if_requested(member); // what the last one has released
}

static inline void run_untracked(Worker* worker, Task* task, const DependenceList& list) {
  if (CHOMP_UNLIKELY(task->is(kObserved))) {
    event_dependences(worker, task, list);
    event_task_created(worker, task, false);
  }
  ++worker->current->local_children;
  task_run_now(worker, task);
}

CHOMP_SLOW static void note_slow_flags(Worker* worker, Task* task, const DependenceList& list) {
  if (task->is(kRecords)) {
    graph_note_task(worker, task, &list);
    task->flags &= ~kPool;
  }
  if (is_transparent(task)) {
    transparent_import(worker, task);
    if (!tracks(worker)) table_of(worker, worker->current); // its children may go to free agents, or have events
  }
  if (may_be_offered(worker, task)) dependences_track_always(worker); // also in a serial team
}

// Tasks that have stopped on this thread have begun theirs since.
CHOMP_SLOW static void close_below(Worker* worker, const OpenConstruct* construct) {
  OpenConstruct** place = &worker->tasks.open_constructs;
  while (*place != construct) place = &(*place)->outer;
  *place = construct->outer;
}

/// Calls `run`, which runs the task, to its end as a rule. An untied one goes to no queue when it yields.
template <typename Run>
__attribute__((always_inline)) static inline void run_in_construct(Worker* worker, const Task* task,
                                                                   const DependenceList& list, Run run) {
  OpenConstruct construct{task, &list, worker->tasks.open_constructs};
  worker->tasks.open_constructs = &construct;
  run();
  if (CHOMP_UNLIKELY(worker->tasks.open_constructs != &construct)) return close_below(worker, &construct);
  worker->tasks.open_constructs = construct.outer;
}

/// Of a task whose dependences nobody notes.
static inline void spawn_untracked(Worker* worker, Task* task, const DependenceList& list) {
  if (CHOMP_UNLIKELY(task->is(kObserved))) event_dependences(worker, task, list);
  if (list.empty()) return task_spawn(worker, task);
  run_in_construct(worker, task, list, [=] { task_spawn(worker, task); });
}

static __attribute__((noinline)) void spawn_tracked(Worker* worker, Task* task, const DependenceList& list) {
  if (may_run_untracked(worker, task))
    return run_in_construct(worker, task, list, [&] { run_untracked(worker, task, list); });
  // The child of a final task, or of one with settings of its own, is undeferred, but its detachable siblings may be
  // unfinished.
  if (worker->current->is(kIncludes) || task->is(kOwnIcvs)) wait_for_siblings(worker, list, false);
  if (CHOMP_UNLIKELY(task->is(kObserved))) event_dependences(worker, task, list); // no task runs before `created`
  // Now, since the line of the creator, which the ends of its children take away, has just been written.
  const int64_t children = children_of(worker->current) + 1;
  DependenceTable* table = table_of(worker, worker->current);
  const Throttled throttled = creator_made_one(worker, children);
  if (worker->member->worth->pays()) fetch_predecessors(table, list);
  DependenceNode* node = record(worker, table, task, list);
  // The next task's block may come from a thread that has freed it: as in spawn_published().
  if (const Task* next = worker->memory.free_blocks[task->flags >> kSizeClassShift]) fetch_for_write(next);
  if (node->edge_count == 0) {
    spawn_without_predecessors(worker, task, node);
  } else {
    // The task is counted before its last predecessor can release it, which may be at once.
    task_count_created(worker, task);
    task->flags &= ~kOwnIcvs; // as above: it waits for a detachable sibling
    if (CHOMP_UNLIKELY(task->is(kObserved))) note_held(worker, node);
    if (dependence_node_link(worker, node)) dependences_met(worker, node);
  }
  if (throttled != Throttled::kRunsThem) return help_if_many(worker, children);
  run_short_tasks(worker);
}

void task_spawn_with_dependences(Worker* worker, Task* task, const DependenceList& list) {
  if (CHOMP_UNLIKELY(task->is(kRecords | kPool | kHasAffinity))) {
    if (runs_at_once(task)) return task_run_undeferred(worker, task, list);
    note_slow_flags(worker, task, list);
  }
  if (CHOMP_UNLIKELY(list.empty()) || !tracks(worker)) return spawn_untracked(worker, task, list);
  spawn_tracked(worker, task, list);
}

void task_run_undeferred(Worker* worker, Task* task, const DependenceList& list) {
  if (CHOMP_UNLIKELY(task->is(kRecords))) {
    if (worker->current->is(kRecords)) graph_give_up(worker);
    task->flags &= ~kRecords;
  }
  wait_for_siblings(worker, list, false);
  if (CHOMP_UNLIKELY(task->is(kObserved))) {
    event_dependences(worker, task, list);
    event_note_undeferred(task);
  }
  if (task->is(kDetachable) && !list.empty()) record_running(worker, worker->current, task, list);
  task_count_created(worker, task);
  run_in_construct(worker, task, list, [=] { task_run_now(worker, task); });
}

void wait_for_recorded_dependences(Worker* worker) {
  const TaskExtra* extra = worker->current->extra;
  if (!has_children(worker->current) && (extra == nullptr || !extra->imports)) return;
  const Dependence all{0, 0, Dependence::kAllMemory};
  wait_for_siblings(worker, {{{&all, 1}, {nullptr, 0}}}, false);
}

void transparent_wait(Worker* worker) { wait_for_recorded_dependences(worker); }

void wait_for_dependences(Worker* worker, const DependenceList& list) {
  if (CHOMP_UNLIKELY(worker->current->is(kRecords))) graph_note_wait_for(worker, list);
  if (CHOMP_LIKELY(!worker->current->is(kObserved))) return wait_for_siblings(worker, list, false);
  ToolTask outer = worker->observe.tool.waiting; // tasks that run meanwhile may wait in the same way
  event_dependences(worker, nullptr, list);
  wait_for_siblings(worker, list, true);
  if (!list.empty()) event_dependences_met(worker);
  worker->observe.tool.waiting = outer;
}

static int32_t do_nothing(int32_t, void*) { return 0; }

void spawn_empty_task_with_dependences(Worker* worker, const DependenceList& list) {
  Task* task = task_allocate(worker, kTied, sizeof(TaskPayload), 0, do_nothing);
  task_spawn_with_dependences(worker, task, list);
}

} // namespace chomp
