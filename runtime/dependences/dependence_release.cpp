// What the end of a task releases: its successors, resources of mutexinoutset, the gates of transparent tasks. See
// task_deps.h. The finisher of a task releases; it meets the creator of successors in DependenceNode.
#include "runtime/dependences/task_deps.h"

#include "runtime/core/events.h"
#include "runtime/core/memory.h"
#include "runtime/core/team.h"
#include "runtime/threads/wake.h"
#include "runtime/dependences/dependence_node.h"
#include "runtime/dependences/dependence_table.h"
#include "runtime/stealing/publish.h"
#include "runtime/tasks/destination.h"
#include "runtime/tasks/task_detach.h"
#include "runtime/tasks/task_graph.h"
#include "runtime/tasks/task_spawn.h"
#include "runtime/tasks/transparent.h"

namespace chomp {

// ---- Resources of mutexinoutset -------------------------------------------------------------------------------------

bool mutex_claim_acquire(DependenceNode* node, bool wait_in_line) {
  MutexClaim* claim = node->claim;
  while (claim->acquired < claim->count) {
    MutexResource* resource = claim->resources[claim->acquired];
    std::lock_guard guard(resource->lock);
    if (resource->taken) {
      if (!wait_in_line) return false;
      claim->next_waiting = nullptr;
      (resource->oldest == nullptr ? resource->oldest : resource->newest->claim->next_waiting) = node;
      resource->newest = node;
      return false;
    }
    resource->taken = true;
    ++claim->acquired;
  }
  return true;
}

/// The worker that makes tasks ready, and where they go.
struct Releaser {
  Worker* worker;
  Team* team;   // of the tasks
  bool may_run; // they may run on top of what this worker runs now (runtime/dependences/README.md, "Dependences")
};

/// The predecessors of a counted task have finished: it becomes ready when it has its resources too.
static inline void node_ready(const Releaser& by, DependenceNode* node) {
  Task* task = node->task;
  if (CHOMP_UNLIKELY(node->claim != nullptr) && !mutex_claim_acquire(node, true)) return;
  if (CHOMP_LIKELY(by.may_run)) return task_make_ready_here(by.worker, task);
  send(by.worker, by.team, task, Cause::kEvent);
}

void dependences_met(Worker* worker, DependenceNode* node) {
  Member* member = worker->member;
  node_ready({worker, member->team, !member->team->serial()}, node);
  publish_if_requested(member);
}

/// The task has finished: each of its resources goes to the first in line.
CHOMP_SLOW static void claim_hand_over(const Releaser& by, MutexClaim* claim) {
  for (uint32_t i = 0; i < claim->count; ++i) {
    MutexResource* resource = claim->resources[i];
    resource->lock.lock();
    DependenceNode* next = resource->oldest;
    if (next != nullptr)
      resource->oldest = next->claim->next_waiting;
    else
      resource->taken = false;
    resource->lock.unlock();
    if (next == nullptr) continue;
    ++next->claim->acquired; // it was waiting for this resource
    node_ready(by, next);
  }
}

void mutex_claim_release(Worker* worker, Team* team, bool may_run, DependenceNode* node) {
  claim_hand_over({worker, team, may_run}, node->claim);
  node->claim->acquired = 0;
}

// ---- Release --------------------------------------------------------------------------------------------------------

/// The node has no task: the encountering task waits itself, or the node is a gate. The node of a task that waits is
/// gone when the count is zero, so `waiter` is read before. Returns a gate that is to be opened, or null.
static DependenceNode* predecessor_of_waiter_finished(DependenceNode* node) {
  Worker* waiter = node->waiter;
  // acq_rel: pairs with itself among the predecessors, so that what they wrote is visible to what waits for a gate; and
  // with acquire in wait_until_zero().
  if (node->predecessors.fetch_sub(1, std::memory_order_acq_rel) != 1) return nullptr;
  if (waiter == nullptr) return node;
  worker_wake(waiter);
  return nullptr;
}

static inline void predecessor_finished(const Releaser& by, DependenceNode* node);

/// All predecessors of a gate have finished: it ends as a task would. Another worker may own the gate's table. Chains
/// of gates may be long: those that this opens follow in a loop, listed in edges that are counted.
static void gate_open(const Releaser& by, DependenceNode* gate) {
  DependenceNode* opening = gate;
  opening->edges[0].predecessor = nullptr;
  do {
    gate = opening;
    opening = gate->edges[0].predecessor;
    dependence_node_free_edges(by.worker, gate);
    Edge* edge = dependence_node_close(by.worker, gate, false);
    while (edge != nullptr) {
      Edge* next = edge->next; // read first: the edge is gone when the count is zero
      if (edge->node->task != nullptr) {
        predecessor_finished(by, edge->node);
      } else if (DependenceNode* another = predecessor_of_waiter_finished(edge->node)) {
        another->edges[0].predecessor = opening;
        opening = another;
      }
      edge = next;
    }
  } while (opening != nullptr);
}

CHOMP_SLOW static void predecessor_without_task_finished(const Releaser& by, DependenceNode* node) {
  if (DependenceNode* gate = predecessor_of_waiter_finished(node)) gate_open(by, gate);
}

static inline void predecessor_finished(const Releaser& by, DependenceNode* node) {
  if (CHOMP_UNLIKELY(node->task == nullptr)) return predecessor_without_task_finished(by, node);
  // acquire: pairs with the release of the others' decrements; if only ours is left, nobody writes the count any more.
  // Otherwise acq_rel: pairs with itself. So the task sees what the predecessors wrote.
  if (node->predecessors.load(std::memory_order_acquire) == 1 ||
      node->predecessors.fetch_sub(1, std::memory_order_acq_rel) == 1)
    node_ready(by, node);
}

// The block of the task, which has ended, lies in its node. What the block holds goes.
static inline void leave_extra_to_node(Worker* worker, Task* task) {
  if (CHOMP_UNLIKELY(task->extra->table != nullptr)) dependence_table_free(worker, task);
  if (CHOMP_UNLIKELY(task->extra->event != nullptr)) event_drop(worker, task);
  task->extra = nullptr;
}

/// Called when the task has finished, and its memory is still there.
static inline void release(const Releaser& by, Task* task) {
  DependenceNode* node = task->extra->dependence;
  if (node == nullptr) return;
  task->extra->dependence = nullptr;
  if (task->extra == &node->extra) leave_extra_to_node(by.worker, task);
  dependence_node_free_edges(by.worker, node);
  if (CHOMP_UNLIKELY(node->claim != nullptr)) {
    claim_hand_over(by, node->claim);
    dependence_node_drop_claim(by.worker, node);
  }

  // Where the parent lies right below, this worker is its table's. The parent's line is not asked for its owner:
  // whoever runs it writes that line for each child. relaxed: nobody writes the address any more.
  bool owns_table = task->parent.load(std::memory_order_relaxed) == by.worker->current;
  Edge* edge = dependence_node_close(by.worker, node, owns_table);
  while (edge != nullptr) {
    Edge* next = edge->next; // read first: the edge is gone when the count is zero
    if (CHOMP_UNLIKELY(task->is(kObserved))) event_dependence_satisfied(by.worker, task, edge->node->task);
    predecessor_finished(by, edge->node);
    edge = next;
  }
}

// ---- Transparent tasks: gates --------------------------------------------------------------------------------------

void transparent_make(Worker* worker, Task* task) {
  if (worker->current->is(kRecords)) graph_give_up(worker); // a record has no gates
  task_extra(task)->transparent = true;
  task->flags |= kHasAffinity;
}

/// The creator's reference is dropped, and the gate waits for what it has gathered.
static void gate_link(const Releaser& by, DependenceNode* gate) {
  // relaxed: nobody else knows the gate yet.
  if (--gate->table_references == 0) gate->successors.store(DependenceNode::kForgotten, std::memory_order_relaxed);
  if (dependence_node_link(by.worker, gate)) gate_open(by, gate);
}

static void table_pass(const Releaser& by, DependenceTable* from, DependenceTable* to, bool import) {
  auto link = [](const void* context, DependenceNode* gate) {
    gate_link(*static_cast<const Releaser*>(context), gate);
  };
  dependence_table_pass(by.worker, from, {to, import, link, &by});
}

void transparent_import(Worker* worker, Task* task) {
  if (task->extra->imports) return; // already, before the task itself was recorded
  task->extra->imports = true;
  TaskExtra* siblings = task_extra(worker->current);
  siblings->transparent_children = true;
  if (siblings->table == nullptr) return;
  DependenceTable* table = dependence_table_create(worker);
  const Member* member = worker->member;
  table_pass({worker, member->team, !member->team->serial()}, siblings->table, table, true);
  if (table->used == 0 && table->all.empty()) return dependence_table_destroy(worker, table);
  table->order = ++siblings->table->imports;
  task->extra->table = table;
}

static uint32_t order_of(const Task* task) {
  return task->extra == nullptr || task->extra->table == nullptr ? 0 : task->extra->table->order;
}

bool transparent_waits_for(const Task* waiter, const Task* task) {
  if (!task->is(kHasDependences) || task->root() != waiter->root()) return false;
  if (!is_transparent(task) || order_of(task) == 0) return true;
  // relaxed, all: fields of a queued task, of its parent, whose header it keeps, and of a running task.
  const Task* parent = task->parent.load(std::memory_order_relaxed);
  if (parent->parent.load(std::memory_order_relaxed) == waiter) return true;
  return parent == waiter->parent.load(std::memory_order_relaxed) && order_of(task) < order_of(waiter);
}

/// The task is undeferred: later siblings cannot wait for it, but for its children, at the children's addresses.
static void export_undeferred(const Releaser& by, DependenceTable* children) {
  TaskExtra* extra = task_extra(by.worker->current);
  if (extra->table == nullptr) extra->table = dependence_table_create(by.worker);
  table_pass(by, children, extra->table, false);
}

// The task's own node becomes the gate: nothing that waits for it has been released.
void transparent_export(Worker* worker, Team* team, bool may_run, Task* task) {
  TaskExtra* extra = task->extra;
  if (extra->table == nullptr) return;
  const Releaser by{worker, team, may_run};
  if (task->is(kUncounted)) return export_undeferred(by, extra->table);
  DependenceNode* node = extra->dependence;
  if (node == nullptr) { // its creator has not recorded it: later siblings have to find its children
    if (worker->current == task->parent.load(std::memory_order_relaxed)) export_undeferred(by, extra->table);
    return;
  }
  dependence_node_free_edges(worker, node);
  node->edge_count = 0;
  dependence_table_wait_own(worker, extra->table, node);
  if (node->edge_count == 0) return;
  if (node->claim != nullptr) {
    claim_hand_over(by, node->claim);
    dependence_node_drop_claim(worker, node);
  }
  extra->dependence = nullptr;
  if (extra == &node->extra) leave_extra_to_node(worker, task);
  task->flags &= ~kHasDependences;
  node->task = nullptr;
  node->waiter = nullptr;
  if (dependence_node_link(worker, node)) gate_open(by, node);
  publish_if_requested(worker->member);
}

void dependences_release(Worker* worker, Member* member, Task* task) {
  const Task* task_parent = task->parent.load(std::memory_order_relaxed); // relaxed: nobody writes it any more
  const Releaser by{worker, member->team, !member->team->serial()};
  release(by, task);
  if (!pops_next(member, worker->current, task_parent)) publish_if_requested(member);
}

void dependences_release_outside(Worker* worker, Team* team, Task* task) {
  const Releaser by{worker, team, false};
  release(by, task);
  publish_if_requested(worker->member); // nobody pops what was released now
}

void dependence_table_free(Worker* worker, Task* parent) {
  if (parent->extra == nullptr || parent->extra->table == nullptr) return;
  dependence_table_destroy(worker, parent->extra->table);
  parent->extra->table = nullptr;
}

} // namespace chomp
