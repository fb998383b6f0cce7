// See task_deps.h. The parent's worker links, the finisher of a task releases; both sides meet in DependenceNode.
#include "runtime/task_deps.h"

#include <new>

#include "runtime/config.h"
#include "runtime/dependence_node.h"
#include "runtime/dependence_table.h"
#include "runtime/memory.h"
#include "runtime/task_engine.h"
#include "runtime/team.h"

namespace chomp {

// ---- Resources of mutexinoutset -------------------------------------------------------------------------------------

/// Acquires what the claim lacks, in order. At the first resource that is taken: false, and if `wait_in_line`, whoever
/// gives it back goes on in our place, so the node must not be touched any more.
static bool claim_acquire(DependenceNode* node, bool wait_in_line) {
  MutexClaim* claim = node->claim;
  while (claim->acquired < claim->count) {
    MutexResource* resource = claim->resources[claim->acquired];
    LockGuard guard(resource->lock);
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

/// The predecessors of a counted task have finished: it becomes ready when it has its resources too.
static void node_ready(Worker* worker, Team* team, DependenceNode* node) {
  Task* task = node->task;
  if (node->claim == nullptr || claim_acquire(node, true)) task_make_ready(worker, team, task);
}

/// The task has finished: each of its resources goes to the first in line.
static void claim_release(Worker* worker, Team* team, MutexClaim* claim) {
  for (uint32_t i = 0; i < claim->count; ++i) {
    MutexResource* resource = claim->resources[i];
    resource->lock.lock();
    DependenceNode* next = resource->oldest;
    if (next != nullptr)
      resource->oldest = next->claim->next_waiting;
    else
      resource->taken = false;
    resource->lock.unlock();
    mutex_resource_drop(worker, resource);
    if (next == nullptr) continue;
    ++next->claim->acquired; // it was waiting for this one
    node_ready(worker, team, next);
  }
  if (claim->capacity != 0) object_free(worker, claim->resources, claim->capacity * sizeof(MutexResource*));
  object_free(worker, claim, sizeof(MutexClaim));
}

// ---- Release --------------------------------------------------------------------------------------------------------

static void predecessor_finished(Worker* worker, Team* team, DependenceNode* node) {
  Worker* waiter = node->waiter; // read before the count: the waiter's node is gone when it is zero
  // acq_rel: pairs with itself among the predecessors, and with acquire in wait_until_zero(): what they wrote is
  // visible to the task.
  if (node->predecessors.fetch_sub(1, std::memory_order_acq_rel) != 1) return;
  if (waiter != nullptr)
    worker_wake(waiter);
  else
    node_ready(worker, team, node);
}

void dependences_release(Worker* worker, Team* team, Task* task) {
  DependenceNode* node = task->extra->dependence;
  if (node == nullptr) return;
  task->extra->dependence = nullptr;
  if (node->claim != nullptr) claim_release(worker, team, node->claim);

  node->lock.lock();
  node->finished.store(true, std::memory_order_release); // release: pairs with acquire in is_finished()
  node->lock.unlock();
  // No successor is added from here on.

  uint32_t count = node->successor_count;
  uint32_t in_place = count < DependenceNode::kInline ? count : DependenceNode::kInline;
  for (uint32_t i = 0; i < in_place; ++i) predecessor_finished(worker, team, node->successors[i]);
  uint32_t in_block = count == in_place ? 0 : (count - in_place - 1) % SuccessorBlock::kCount + 1; // of the newest
  for (SuccessorBlock* block = node->blocks; block != nullptr;) {
    for (uint32_t i = 0; i < in_block; ++i) predecessor_finished(worker, team, block->nodes[i]);
    SuccessorBlock* older = block->older;
    object_free(worker, block, sizeof(SuccessorBlock));
    block = older;
    in_block = SuccessorBlock::kCount;
  }
  dependence_node_drop_holder(worker, node);
}

void dependence_table_free(Worker* worker, Task* parent) {
  if (parent->extra == nullptr || parent->extra->table == nullptr) return;
  dependence_table_destroy(worker, parent->extra->table);
  parent->extra->table = nullptr;
}

// ---- Creation -------------------------------------------------------------------------------------------------------

static DependenceKind kind_of(const Dependence& item) {
  switch (item.flags) {
  case Dependence::kIn: return DependenceKind::kIn;
  case Dependence::kMutexInOutSet: return DependenceKind::kMutexInOutSet;
  case Dependence::kInOutSet: return DependenceKind::kInOutSet;
  default: return DependenceKind::kOut; // out, inout
  }
}

static bool names_all_memory(const DependenceList& list) {
  for (const DependenceList::Part& part : list.parts)
    for (int i = 0; i < part.count; ++i)
      if ((part.items[i].flags & Dependence::kAllMemory) != 0 || part.items[i].address == UINTPTR_MAX) return true;
  return false;
}

/// Calls visit(address, kind) for each item and adds what it returns. Null addresses depend on nothing.
template <typename Visit> static uint32_t sum_of_items(const DependenceList& list, Visit visit) {
  uint32_t sum = 0;
  for (const DependenceList::Part& part : list.parts)
    for (int i = 0; i < part.count; ++i)
      if (part.items[i].address != 0) sum += visit(part.items[i].address, kind_of(part.items[i]));
  return sum;
}

/// In a serial team, and below a final task, a child has finished when its construct ends: nothing to remember.
static bool tracks(const Worker* worker) {
  const Task* current = worker->current;
  if (current->extra != nullptr && current->extra->table != nullptr) return true;
  return !worker->member->team->serial() && !current->is(kFinal);
}

static DependenceTable* table_of_current(Worker* worker) {
  TaskExtra* extra = task_extra(worker->current);
  if (extra->table == nullptr) extra->table = dependence_table_create(worker);
  return extra->table;
}

void dependences_track_always(Worker* worker) {
  if (!tracks(worker)) table_of_current(worker);
}

/// Ends the linking of a node that got `linked` predecessors. True if they have all finished already.
static bool linking_done(DependenceNode* node, uint32_t linked) {
  uint32_t surplus = DependenceNode::kLinking - linked;
  // acq_rel: pairs with the decrements in predecessor_finished(): ours may be the last.
  return node->predecessors.fetch_sub(surplus, std::memory_order_acq_rel) == surplus;
}

/// Gives the task a node and records its accesses. Returns the number of its predecessors.
static uint32_t record(Worker* worker, Task* task, const DependenceList& list) {
  DependenceTable* table = table_of_current(worker);
  auto node = new (object_allocate(worker, sizeof(DependenceNode))) DependenceNode(task, nullptr);
  task_extra(task)->dependence = node;
  task->flags |= kHasDependences;
  uint32_t linked = names_all_memory(list) ? dependence_table_access_all(worker, table, node)
                                           : sum_of_items(list, [&](uintptr_t address, DependenceKind kind) {
                                               return dependence_table_access(worker, table, node, address, kind);
                                             });
  // The creator's reference: if no slot of the table is left, the node now lives as long as the task.
  dependence_node_drop_table_reference(worker, node);
  return linked;
}

/// Spawns a task whose node has no predecessor.
static void spawn_without_predecessors(Worker* worker, Task* task, DependenceNode* node) {
  if (node->claim == nullptr || claim_acquire(node, false)) {
    task_spawn(worker, task);
    return;
  }
  // Counted first: whoever gives the resource back may run and finish the task before we return.
  task_count_created(worker, task);
  node_ready(worker, worker->member->team, node);
}

// Children that a task may have unfinished before it helps: a task that waits for others cannot be run at its creation,
// so throttling does not bound them.
static constexpr int64_t kManyChildren = 1024;

/// A task that makes children faster than they finish runs one for each that it makes. It never waits: the next child
/// may be what the others wait for. The construct is a scheduling point (OpenMP 5.2, 12.9).
static void help_if_many(Worker* worker) {
  Task* current = worker->current;
  // relaxed: an estimate.
  int64_t shared = Task::count_in(current->shared_children.load(std::memory_order_relaxed));
  int64_t children = current->plain_share() + shared;
  if (CHOMP_UNLIKELY(children > kManyChildren) && config.task_throttling) task_yield(worker);
}

void task_spawn_with_dependences(Worker* worker, Task* task, const DependenceList& list) {
  if (list.empty() || !tracks(worker)) {
    task_spawn(worker, task);
    return;
  }
  // The child of a final task is undeferred, but its detachable siblings may be unfinished.
  if (worker->current->is(kFinal)) wait_for_dependences(worker, list);

  uint32_t linked = record(worker, task, list);
  DependenceNode* node = task->extra->dependence;
  if (linked == 0) {
    spawn_without_predecessors(worker, task, node);
    return;
  }
  // Counted before the last predecessor can release it, which may be at once.
  task_count_created(worker, task);
  if (linking_done(node, linked)) node_ready(worker, worker->member->team, node);
  help_if_many(worker);
}

void task_run_undeferred(Worker* worker, Task* task, const DependenceList& list) {
  wait_for_dependences(worker, list);
  if (task->is(kDetachable) && !list.empty()) {
    // Nobody whom it would have to wait for is left, nor a holder of its resources.
    uint32_t linked = record(worker, task, list);
    DependenceNode* node = task->extra->dependence;
    bool ready = linked == 0 && (node->claim == nullptr || claim_acquire(node, false));
    CHECK(ready);
  }
  task_count_created(worker, task);
  task_run_now(worker, task);
}

void wait_for_dependences(Worker* worker, const DependenceList& list) {
  TaskExtra* extra = worker->current->extra;
  if (list.empty() || extra == nullptr || extra->table == nullptr) return; // no child ever had dependences
  DependenceTable* table = extra->table;
  DependenceNode node(nullptr, worker);
  uint32_t linked = names_all_memory(list) ? dependence_table_wait_all(worker, table, &node)
                                           : sum_of_items(list, [&](uintptr_t address, DependenceKind kind) {
                                               return dependence_table_wait(worker, table, &node, address, kind);
                                             });
  if (linked == 0 || linking_done(&node, linked)) return;
  wait_until_zero(worker, &node.predecessors);
}

static int32_t do_nothing(int32_t, void*) { return 0; }

void spawn_empty_task_with_dependences(Worker* worker, const DependenceList& list) {
  Task* task = task_allocate(worker, kTied, sizeof(TaskPayload), 0, do_nothing);
  task_spawn_with_dependences(worker, task, list);
}

} // namespace chomp
