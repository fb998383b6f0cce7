// Nodes, their successors and their claims: memory and links. Who becomes ready when is in task_deps.cpp.
#include "runtime/dependence_node.h"

#include <new>
#include <string.h>

#include "runtime/memory.h"

namespace chomp {

bool dependence_node_add_successor(Worker* worker, DependenceNode* node, DependenceNode* successor) {
  // Nobody but us adds successors, and we finish with one before we begin the next: a second edge would be the newest.
  if (node->is_finished() || node->newest_successor == successor) return false;
  uint32_t index = node->successor_count;
  bool in_block = index >= DependenceNode::kInline;
  uint32_t slot = in_block ? (index - DependenceNode::kInline) % SuccessorBlock::kCount : index;
  SuccessorBlock* block = nullptr; // made outside the lock
  if (in_block && slot == 0) block = static_cast<SuccessorBlock*>(object_allocate(worker, sizeof(SuccessorBlock)));

  node->lock.lock();
  // relaxed: written under the lock that we hold
  bool too_late = node->finished.load(std::memory_order_relaxed);
  if (!too_late) {
    if (block != nullptr) {
      block->older = node->blocks;
      node->blocks = block;
    }
    (in_block ? node->blocks->nodes : node->successors)[slot] = successor;
    node->successor_count = index + 1;
  }
  node->lock.unlock();

  if (too_late) {
    if (block != nullptr) object_free(worker, block, sizeof(SuccessorBlock));
    return false;
  }
  node->newest_successor = successor;
  return true;
}

void dependence_node_drop_table_reference(Worker* worker, DependenceNode* node) {
  if (--node->table_references == 0) dependence_node_drop_holder(worker, node);
}

void dependence_node_drop_holder(Worker* worker, DependenceNode* node) {
  // acq_rel: pairs with itself on the other side: who frees the node comes after the other's last access.
  if (node->holders.fetch_sub(1, std::memory_order_acq_rel) == 1) object_free(worker, node, sizeof(DependenceNode));
}

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
  uint32_t place = claim->count;
  for (; place > 0 && claim->resources[place - 1] > resource; --place)
    claim->resources[place] = claim->resources[place - 1];
  claim->resources[place] = resource;
  ++claim->count;
  resource->references.fetch_add(1, std::memory_order_relaxed); // relaxed: the table's entry holds one meanwhile
}

void mutex_resource_drop(Worker* worker, MutexResource* resource) {
  // acq_rel: pairs with itself: who frees the resource comes after everybody's last access.
  if (resource->references.fetch_sub(1, std::memory_order_acq_rel) == 1)
    object_free(worker, resource, sizeof(MutexResource));
}

} // namespace chomp
