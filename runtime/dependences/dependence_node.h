// A task that has dependences, as its siblings see it: which tasks wait for it, how many it waits for, and which it
// excludes.
//
// | field                        | written by                                        | read by                     |
// |------------------------------|---------------------------------------------------|-----------------------------|
// | successors                   | the table's worker (links, forgets), then the     | the same                    |
// |                              | finisher of the task (closes), by RMW             |                             |
// | predecessors                 | the linker before it links; then each finisher    | the finisher that brings it |
// |                              | of a predecessor                                  | to zero                     |
// | table_references, last_asker | the table's worker                                | the same                    |
// | imported                     | the linker, before it links                       | the table's worker          |
// | edges, blocks                | the linker before it links; `next` as it links    | a predecessor's finisher    |
// | task, waiter                 | the linker, before it links                       | a predecessor's finisher    |
// | claim                        | the table's worker, then its acquirer             | the same; the finisher      |
// | extra                        | as Task::extra, which points to it                | the same                    |
//
// The table's worker runs the parent, or finishes it and drops its table. It also links the nodes of tasks. A gate
// (dependence_release.cpp) lies in one table and waits for nodes of another, whose worker links it.
//
// The list of a task's successors is a stack whose cells, the edges, lie in the successors. The worker of the
// predecessor's table pushes; the finisher of the task takes all edges and closes the list by one exchange, its last
// access to the node. So an edge is either in the list that the exchange returns, or its push finds the list closed.
//
// Invariant: predecessors = edges that no finisher has counted and that the linking has not found too late. An edge
// needs no reference to its target: before it is counted, the target cannot become ready, hence not finish. After that
// nobody touches the target unless the count is zero. Proof and model: runtime/dependences/README.md, "Dependences".
#pragma once

#include <algorithm>
#include <cstdint>

#include "runtime/base/atomic.h"
#include "runtime/base/lock.h"
#include "runtime/base/os_linux.h"
#include "runtime/core/task.h"
#include "runtime/core/worker.h"

namespace chomp {

struct DependenceNode;

/// Makes the mutexinoutset tasks of one address exclude each other. One running or ready task has the resource at a
/// time. Tasks that find it taken wait in line. A task that finishes hands it to the first of them: no worker ever
/// blocks.
struct MutexResource {
  Lock lock; // guards what follows, and the claims of tasks that wait
  bool taken = false;
  DependenceNode* oldest = nullptr; // waiting, linked through MutexClaim::next_waiting
  DependenceNode* newest = nullptr;
  atomic<uint32_t> references{1}; // claims, and the table's entry
};

/// The resources of one task, in the order of their addresses: all tasks acquire them in that order, so that tasks that
/// hold some and wait for others form no circle.
struct MutexClaim {
  uint32_t count = 0, capacity = 0;
  uint32_t acquired = 0; // the task holds resources[0 … acquired)
  DependenceNode* next_waiting = nullptr;
  MutexResource** resources = nullptr;
};

/// `node` waits for a predecessor; the edge lies in `node`.
struct Edge {
  union {
    DependenceNode* predecessor; // gathered, until it is linked
    Edge* next;                  // linked: the next older successor of the same predecessor
  };
  DependenceNode* node;
};

struct EdgeBlock {
  static constexpr uint32_t kCount = 31;
  EdgeBlock* older;
  Edge edges[kCount];
};

struct alignas(64) DependenceNode {
  static constexpr uint32_t kInline = 6;

  // `successors` holds the newest Edge and perhaps the bit kForgotten, or kClosed.
  static constexpr uintptr_t kForgotten = 1; // the table has forgotten the node: the finisher frees it
  static constexpr uintptr_t kClosed = 2;    // the task has finished: the table's last reference frees the node

  // What the table's worker and the end of the task need: a line.
  atomic<uintptr_t> successors{0};
  DependenceNode* last_asker = this; // the node that gathered this one last; no node waits for itself
  uint32_t table_references = 1;     // slots of the table, edges that are gathered but not linked, the creator
  uint32_t edge_count = 0;
  MutexClaim* claim = nullptr;
  union {
    TaskExtra extra{}; // of the task, unless it had an extra block before
    ToolWord tool;     // of an observed task, which had one: what a tool calls the task (ompt_events.cpp)
  };
  // What makes it ready: a line, if it has three edges at most.
  atomic<uint32_t> predecessors{0};
  uint32_t imported = 0; // 1: a gate put into a transparent task's table before the task was spawned
  Task* task;            // null: a gate, or the current task of `waiter` waits itself
  Edge edges[kInline];
  Worker* waiter;    // if `task` is null; null for a gate
  EdgeBlock* blocks; // of edges beyond the first kInline, if there are any: newest first

  DependenceNode(Task* of, Worker* waits) : task(of) {
    if (of == nullptr) waiter = waits; // else a line less is written
  }

  EdgeBlock* newest_block() const { return edge_count > kInline ? blocks : nullptr; }

  /// Whether the task has finished. Most callers link to the node, or let go of it, so the line is fetched for writing.
  bool is_finished() const {
    fetch_for_write(this);
    // acquire: pairs with release in dependence_node_close(): a task that is created after this sees what the task
    // wrote.
    return successors.load(std::memory_order_acquire) == kClosed;
  }
};
static_assert(sizeof(DependenceNode) == 192);

/// Called by the worker of the predecessor's table: `node` will have to wait for `predecessor`, unless that has
/// finished when `node` is linked. The edge takes over one reference of the table. False if the two are the same or
/// have an edge already: then the table keeps its reference.
bool dependence_node_gather(Worker* worker, DependenceNode* node, DependenceNode* predecessor);

/// Calls visit() for each predecessor that the node has gathered and is not yet linked to.
template <typename Visit> inline void dependence_node_each_predecessor(const DependenceNode* node, Visit visit) {
  uint32_t left = node->edge_count;
  const Edge* edges = node->edges;
  const EdgeBlock* block = node->newest_block();
  uint32_t here = std::min(left, DependenceNode::kInline);
  for (; left != 0; here = left == 0 ? 0 : (left - 1) % EdgeBlock::kCount + 1) {
    for (uint32_t i = 0; i < here; ++i) visit(edges[i].predecessor);
    left -= here;
    if (left == 0) return;
    edges = block->edges;
    block = block->older;
  }
}

/// Called by the linker, once for a task and once more for a gate that its node becomes. Links the node to the
/// predecessors that it has gathered, one or more. True if all of them have finished: the caller makes the node ready.
/// Otherwise a finisher makes it ready, perhaps already: the node must not be touched any more.
bool dependence_node_link(Worker* worker, DependenceNode* node);

/// Called when the task has finished: takes and closes the list of its successors, newest first. The node must not be
/// touched any more. `owns_table` says that the calling thread is the worker of its table.
Edge* dependence_node_close(Worker* worker, DependenceNode* node, bool owns_table);

/// Frees the edges, when all predecessors have finished.
void dependence_node_free_edges(Worker* worker, DependenceNode* node);

/// Called by the table's worker: a slot of the table, or the creator of the task, forgets the node.
void dependence_node_drop_table_reference(Worker* worker, DependenceNode* node);

/// Called by the table's worker: the task of `node` needs `resource`.
void dependence_node_claim(Worker* worker, DependenceNode* node, MutexResource* resource);

/// Frees the claim of a node, if it has one. The node holds no resource.
void dependence_node_drop_claim(Worker* worker, DependenceNode* node);

/// Drops a reference to a resource, which is freed with the last claim and the table's entry.
void mutex_resource_drop(Worker* worker, MutexResource* resource);

} // namespace chomp
