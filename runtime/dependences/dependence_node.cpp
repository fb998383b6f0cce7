// Nodes, their edges and their claims: memory and links. Which task becomes ready when is decided in
// dependence_release.cpp.
#include "runtime/dependences/dependence_node.h"

#include <algorithm>
#include <new>
#include <string.h>

#include "runtime/core/memory.h"

namespace chomp {

static void node_free(Worker* worker, DependenceNode* node) { object_free(worker, node, sizeof(DependenceNode)); }

// ---- Predecessors ---------------------------------------------------------------------------------------------------

/// Room for an edge beyond the first kInline.
CHOMP_SLOW static Edge* edge_in_block(Worker* worker, DependenceNode* node, uint32_t index) {
  bool first = index == DependenceNode::kInline;
  index = (index - DependenceNode::kInline) % EdgeBlock::kCount;
  if (index == 0) {
    auto block = static_cast<EdgeBlock*>(object_allocate(worker, sizeof(EdgeBlock)));
    block->older = first ? nullptr : node->blocks;
    node->blocks = block;
  }
  return &node->blocks->edges[index];
}

bool dependence_node_gather(Worker* worker, DependenceNode* node, DependenceNode* predecessor) {
  // Two items of the construct may lead to the same predecessor. `last_asker` is no stale pointer to another node at
  // the same address: while the predecessor has not finished, the nodes that wait for it exist.
  if (predecessor->last_asker == node) return false;
  predecessor->last_asker = node;
  uint32_t index = node->edge_count++;
  Edge* edge = CHOMP_LIKELY(index < DependenceNode::kInline) ? &node->edges[index] : edge_in_block(worker, node, index);
  edge->predecessor = predecessor;
  edge->node = node;
  return true;
}

/// Pushes the edge to the list of its predecessor. False if the list is closed.
static bool edge_link(Worker* worker, Edge* edge) {
  DependenceNode* predecessor = edge->predecessor;
  bool forgets = --predecessor->table_references == 0; // no slot of the table has it any more
  // acquire: pairs with release in dependence_node_close(): what the task wrote is visible to what waits for it.
  uintptr_t word = predecessor->successors.load(std::memory_order_acquire);
  for (;;) {
    if (word == DependenceNode::kClosed) {
      if (forgets) node_free(worker, predecessor);
      return false;
    }
    edge->next = reinterpret_cast<Edge*>(word); // kForgotten is not set: we had a reference
    uintptr_t newest = reinterpret_cast<uintptr_t>(edge) | (forgets ? DependenceNode::kForgotten : 0);
    // release: pairs with acquire in dependence_node_close(): edge and node are visible to the finisher; acquire on
    // failure: as above.
    if (predecessor->successors.compare_exchange_weak(word, newest, std::memory_order_release,
                                                      std::memory_order_acquire))
      return true;
  }
}

bool dependence_node_link(Worker* worker, DependenceNode* node) {
  uint32_t left = node->edge_count, too_late = 0;
  node->predecessors.store(left, std::memory_order_relaxed); // relaxed: released by the first edge
  Edge* edges = node->edges;
  EdgeBlock* block = node->newest_block();
  uint32_t here = std::min(left, DependenceNode::kInline);
  for (;;) {
    left -= here;
    for (uint32_t i = 0; i < here; ++i)
      if (!edge_link(worker, &edges[i])) ++too_late;
    if (left == 0) break; // the node may be gone unless an edge was too late
    edges = block->edges;
    here = (left - 1) % EdgeBlock::kCount + 1; // the newest block may not be full
    block = block->older;
  }
  // acq_rel: pairs with the decrements of the predecessors' finishers: ours may be the last.
  return too_late != 0 && node->predecessors.fetch_sub(too_late, std::memory_order_acq_rel) == too_late;
}

void dependence_node_free_edges(Worker* worker, DependenceNode* node) {
  for (EdgeBlock* block = node->newest_block(); block != nullptr;) {
    EdgeBlock* older = block->older;
    object_free(worker, block, sizeof(EdgeBlock));
    block = older;
  }
}

// ---- The end --------------------------------------------------------------------------------------------------------

Edge* dependence_node_close(Worker* worker, DependenceNode* node, bool owns_table) {
  uintptr_t word;
  if (owns_table) {
    // relaxed, both: this very thread is the one that links and forgets.
    word = node->successors.load(std::memory_order_relaxed);
    node->successors.store(DependenceNode::kClosed, std::memory_order_relaxed);
  } else {
    // acq_rel: release pairs with acquire in is_finished(), edge_link() and the table's last reference; acquire with
    // the release of each edge.
    word = node->successors.exchange(DependenceNode::kClosed, std::memory_order_acq_rel);
  }
  if ((word & DependenceNode::kForgotten) != 0) node_free(worker, node);
  return reinterpret_cast<Edge*>(word & ~DependenceNode::kForgotten);
}

void dependence_node_drop_table_reference(Worker* worker, DependenceNode* node) {
  fetch_for_write(node);
  if (--node->table_references != 0) return;
  // acq_rel: release hands the node to the finisher, acquire pairs with its release: the side that frees the node comes
  // last.
  if (node->is_finished() ||
      node->successors.fetch_or(DependenceNode::kForgotten, std::memory_order_acq_rel) == DependenceNode::kClosed)
    node_free(worker, node);
}

// ---- Claims ---------------------------------------------------------------------------------------------------------

static void claim_grow(Worker* worker, MutexClaim* claim) {
  uint32_t capacity = claim->capacity == 0 ? 8 : 2 * claim->capacity;
  auto resources = static_cast<MutexResource**>(object_allocate(worker, capacity * sizeof(MutexResource*)));
  if (claim->capacity != 0) {
    memcpy(resources, claim->resources, claim->count * sizeof(MutexResource*));
    object_free(worker, claim->resources, claim->capacity * sizeof(MutexResource*));
  }
  claim->resources = resources;
  claim->capacity = capacity;
}

void dependence_node_claim(Worker* worker, DependenceNode* node, MutexResource* resource) {
  MutexClaim* claim = node->claim;
  if (claim == nullptr) claim = node->claim = new (object_allocate(worker, sizeof(MutexClaim))) MutexClaim;
  if (claim->count == claim->capacity) claim_grow(worker, claim);
  uint32_t position = claim->count;
  for (; position > 0 && claim->resources[position - 1] > resource; --position)
    claim->resources[position] = claim->resources[position - 1];
  claim->resources[position] = resource;
  ++claim->count;
  resource->references.fetch_add(1, std::memory_order_relaxed); // relaxed: the table's entry holds one meanwhile
}

void dependence_node_drop_claim(Worker* worker, DependenceNode* node) {
  MutexClaim* claim = node->claim;
  if (claim == nullptr) return;
  for (uint32_t i = 0; i < claim->count; ++i) mutex_resource_drop(worker, claim->resources[i]);
  if (claim->capacity != 0) object_free(worker, claim->resources, claim->capacity * sizeof(MutexResource*));
  object_free(worker, claim, sizeof(MutexClaim));
  node->claim = nullptr;
}

void mutex_resource_drop(Worker* worker, MutexResource* resource) {
  // acq_rel: pairs with itself: the thread that frees the resource comes after all other accesses.
  if (resource->references.fetch_sub(1, std::memory_order_acq_rel) == 1)
    object_free(worker, resource, sizeof(MutexResource));
}

} // namespace chomp
