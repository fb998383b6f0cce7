// A task that has dependences, as its siblings see it: who waits for it, how many it waits for, what it excludes.
// Called by dependence_table.cpp, which links nodes, and task_deps.cpp, which releases them.
//
// | field                       | written by                                        | read by                      |
// |-----------------------------|---------------------------------------------------|------------------------------|
// | task, waiter                | the parent's worker, before the node is linked    | who finishes a predecessor   |
// | predecessors                | everybody, by read-modify-write                   | who brings it to zero        |
// | holders                     | table side and task side, one decrement each      | the same                     |
// | table_references            | the parent's worker                               | the same                     |
// | successor_count, successors | the parent's worker, under `lock`                 | the finisher of the task     |
// | finished                    | the finisher of the task, once, under `lock`      | the parent's worker          |
// | claim                       | the parent's worker, then who acquires for it     | the same; the finisher       |
//
// Invariant: predecessors = unfinished predecessors that know the node (+ kLinking while the parent is at it). No edge
// is added to a finished node. An edge needs no reference: its target cannot become ready, hence not finish, before the
// edge's source has counted it down, and nobody touches a target after that unless the count has reached zero.
#pragma once

#include <atomic>
#include <cstdint>

#include "runtime/base/lock.h"
#include "runtime/task.h"
#include "runtime/worker.h"

namespace chomp {

struct DependenceNode;

/// What the mutexinoutset tasks of one address exclude each other by. It belongs to one running or ready task at a
/// time; those who find it taken wait in line, and who gives it back hands it to the first of them: no worker ever
/// blocks.
struct MutexResource {
  Lock lock; // guards what follows, and the claims of those who wait
  bool taken = false;
  DependenceNode* oldest = nullptr; // waiting, linked through MutexClaim::next_waiting
  DependenceNode* newest = nullptr;
  std::atomic<uint32_t> references{1}; // claims, and the table's entry
};

/// The resources of one task, in the order of their addresses: all tasks acquire them in that order, so that the
/// holders of some who wait for others form no circle.
struct MutexClaim {
  uint32_t count = 0, capacity = 0;
  uint32_t acquired = 0; // resources[0 … acquired) are ours
  DependenceNode* next_waiting = nullptr;
  MutexResource** resources = nullptr;
};

struct SuccessorBlock {
  static constexpr uint32_t kCount = 31;
  SuccessorBlock* older;
  DependenceNode* nodes[kCount];
};

struct DependenceNode {
  static constexpr uint32_t kInline = 8;
  static constexpr uint32_t kLinking = 1u << 30; // the parent's worker is still looking for predecessors

  std::atomic<uint32_t> predecessors{kLinking};
  std::atomic<uint32_t> holders{2}; // the table's side and the task's
  std::atomic<bool> finished{false};
  Lock lock;
  uint32_t table_references = 1; // slots of the table, and the creator while it is at it
  uint32_t successor_count = 0;
  Task* task;     // null: not a task, `waiter` waits for the predecessors
  Worker* waiter; // null for a task
  MutexClaim* claim = nullptr;
  SuccessorBlock* blocks = nullptr;           // newest first; successors beyond the first kInline
  DependenceNode* newest_successor = nullptr; // the parent's worker only
  DependenceNode* successors[kInline];

  DependenceNode(Task* of, Worker* waits) : task(of), waiter(waits) {}

  /// acquire: pairs with release in dependences_release(): what the task wrote is visible to what is created after
  /// this.
  bool is_finished() const { return finished.load(std::memory_order_acquire); }
};
static_assert(sizeof(DependenceNode) == 128);

/// The parent's worker: `successor` waits for `node`. False if the node has finished or knows the successor already.
bool dependence_node_add_successor(Worker* worker, DependenceNode* node, DependenceNode* successor);

/// The parent's worker: a slot of the table forgets the node.
void dependence_node_drop_table_reference(Worker* worker, DependenceNode* node);

/// One of the two sides lets go; the node is freed with the second. Nobody of that side may touch it afterwards.
void dependence_node_drop_holder(Worker* worker, DependenceNode* node);

/// The parent's worker: the task of `node` needs `resource`.
void dependence_node_claim(Worker* worker, DependenceNode* node, MutexResource* resource);

/// Lets go of a resource; freed with the last claim and the table's entry.
void mutex_resource_drop(Worker* worker, MutexResource* resource);

} // namespace chomp
