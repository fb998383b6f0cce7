// See dependence_table.h. Everything here runs on the table's worker; only nodes are touched by other
// workers too.
#include "runtime/dependences/dependence_table.h"

#include <bit>
#include <new>
#include <string.h>

#include "runtime/base/os_linux.h"
#include "runtime/core/memory.h"

namespace chomp {

// ---- Sets of nodes --------------------------------------------------------------------------------------------------

CHOMP_SLOW void NodeSet::grow(Worker* worker) {
  uint32_t capacity = capacity_ == 0 ? 8 : 2 * capacity_;
  auto many = static_cast<DependenceNode**>(object_allocate(worker, capacity * sizeof(DependenceNode*)));
  memcpy(many, members(), count_ * sizeof(DependenceNode*));
  free_block(worker);
  many_ = many;
  capacity_ = capacity;
}

CHOMP_SLOW void NodeSet::free_block(Worker* worker) {
  if (capacity_ != 0) object_free(worker, many_, capacity_ * sizeof(DependenceNode*));
  capacity_ = 0;
}

CHOMP_SLOW void NodeSet::make_room(Worker* worker) {
  prune(worker);
  // The set grows unless half of it is free again: so it is pruned once for as many additions as it has nodes.
  if (2 * count_ > room()) grow(worker);
}

inline void NodeSet::add(Worker* worker, DependenceNode* node) {
  if (CHOMP_UNLIKELY(count_ == room())) make_room(worker);
  members()[count_++] = node;
  ++node->table_references;
}

void NodeSet::remove_newest() {
  --newest()
        ->table_references; // not the last reference: the node's task is being created, and gets another slot at once
  --count_;
}

void NodeSet::clear(Worker* worker) {
  DependenceNode** list = members();
  for (uint32_t i = 0; i < count_; ++i) dependence_node_drop_table_reference(worker, list[i]);
  count_ = 0;
  if (CHOMP_UNLIKELY(capacity_ != 0)) free_block(worker);
}

void NodeSet::prune(Worker* worker) {
  DependenceNode** list = members();
  uint32_t kept = 0;
  for (uint32_t i = 0; i < count_; ++i) {
    if (list[i]->is_finished())
      dependence_node_drop_table_reference(worker, list[i]);
    else
      list[kept++] = list[i];
  }
  count_ = kept;
}

inline void NodeSet::gather_for(Worker* worker, DependenceNode* node) {
  DependenceNode** list = members();
  uint32_t kept = 0;
  for (uint32_t i = 0; i < count_; ++i) {
    DependenceNode* member = list[i];
    if (member->is_finished()) {
      dependence_node_drop_table_reference(worker, member);
    } else {
      if (dependence_node_gather(worker, node, member)) ++member->table_references;
      list[kept++] = member;
    }
  }
  count_ = kept;
}

void NodeSet::gather_own_for(Worker* worker, DependenceNode* node) {
  prune(worker);
  DependenceNode** list = members();
  for (uint32_t i = 0; i < count_; ++i)
    if (list[i]->imported == 0 && dependence_node_gather(worker, node, list[i])) ++list[i]->table_references;
}

// An `out` after an `out`, or after a few `in`: the most frequent case.
inline void NodeSet::hand_over(Worker* worker, DependenceNode* node) {
  DependenceNode** list = members();
  uint32_t count = count_;
  count_ = 0;
  for (uint32_t i = 0; i < count; ++i) {
    DependenceNode* member = list[i];
    if (CHOMP_UNLIKELY(member->is_finished()) || !dependence_node_gather(worker, node, member))
      dependence_node_drop_table_reference(worker, member);
  }
  if (CHOMP_UNLIKELY(capacity_ != 0)) free_block(worker);
}

void NodeSet::take(NodeSet& other) {
  *this = other;
  other.count_ = other.capacity_ = 0;
}

// ---- Gates ----------------------------------------------------------------------------------------------------------

static DependenceNode* gate_make(Worker* worker) {
  return new (object_allocate(worker, sizeof(DependenceNode))) DependenceNode(nullptr, nullptr);
}

/// Makes a gate behind the set, records it in pass.to as an access of the address (0: of all), and links it.
static void set_pass(Worker* worker, NodeSet& set, const TablePass& pass, uintptr_t address, DependenceKind kind) {
  if (set.empty()) return;
  DependenceNode* gate = gate_make(worker);
  pass.import ? set.gather_for(worker, gate) : set.gather_own_for(worker, gate);
  if (gate->edge_count == 0) return object_free(worker, gate, sizeof(DependenceNode));
  gate->imported = pass.import ? 1 : 0;
  if (address == 0)
    dependence_table_access_all(worker, pass.to, gate);
  else
    dependence_table_access(worker, pass.to, gate, address, kind);
  pass.link(pass.context, gate);
}

void dependence_table_pass(Worker* worker, DependenceTable* from, const TablePass& pass) {
  set_pass(worker, from->all, pass, 0, DependenceKind::kOut);
  for (size_t i = 0; i < from->capacity; ++i) {
    DependenceEntry* entry = &from->entries[i];
    if (entry->address == 0) continue;
    // An access of the same kind joins the generation, and waits for the generation before.
    bool joins = entry->kind == DependenceKind::kIn || entry->kind == DependenceKind::kInOutSet;
    if (joins) set_pass(worker, entry->previous, pass, entry->address, DependenceKind::kOut);
    set_pass(worker, entry->current, pass, entry->address, joins ? entry->kind : DependenceKind::kOut);
  }
}

// ---- The table ------------------------------------------------------------------------------------------------------

static constexpr size_t kSmallestTable = 16;
static constexpr size_t kFetchAhead = 4; // entries, each of one node as a rule

static DependenceEntry* entries_allocate(Worker* worker, size_t capacity) {
  auto entries = static_cast<DependenceEntry*>(object_allocate(worker, capacity * sizeof(DependenceEntry)));
  for (size_t i = 0; i < capacity; ++i) new (&entries[i]) DependenceEntry;
  return entries;
}

static void table_use(DependenceTable* table, DependenceEntry* entries, size_t capacity) {
  table->entries = entries;
  table->capacity = capacity;
  table->hash_shift = 64 - static_cast<unsigned>(std::countr_zero(capacity));
}

static void entry_clear(Worker* worker, DependenceEntry* entry) {
  entry->current.clear(worker);
  entry->previous.clear(worker);
  if (entry->mutex != nullptr) mutex_resource_drop(worker, entry->mutex);
  *entry = DependenceEntry{};
}

/// Begins to fetch a node of that entry, which will be let go.
static inline void fetch_of(const DependenceTable* table, size_t index) {
  if (index >= table->capacity) return;
  const NodeSet& nodes = table->entries[index].current;
  if (!nodes.empty()) fetch_for_write(nodes.newest());
}

static void table_clear(Worker* worker, DependenceTable* table) {
  for (size_t i = 0; i < table->capacity; ++i) {
    fetch_of(table, i + kFetchAhead);
    if (table->entries[i].address != 0) entry_clear(worker, &table->entries[i]);
  }
  table->used = 0;
  table->all.clear(worker);
}

DependenceTable* dependence_table_create(Worker* worker) {
  auto table = new (object_allocate(worker, sizeof(DependenceTable))) DependenceTable;
  table_use(table, entries_allocate(worker, kSmallestTable), kSmallestTable);
  return table;
}

void dependence_table_destroy(Worker* worker, DependenceTable* table) {
  table_clear(worker, table);
  object_free(worker, table->entries, table->capacity * sizeof(DependenceEntry));
  object_free(worker, table, sizeof(DependenceTable));
}

/// The entry of the address, or the free one where it belongs.
static inline DependenceEntry* table_find(const DependenceTable* table, uintptr_t address) {
  // Fibonacci hashing: the upper bits of the product depend on all bits of the address.
  size_t index = (address * UINT64_C(0x9e3779b97f4a7c15)) >> table->hash_shift;
  DependenceEntry* entries = table->entries;
  while (entries[index].address != address && entries[index].address != 0) index = (index + 1) & (table->capacity - 1);
  return &entries[index];
}

/// Forgets addresses whose tasks have all finished; then the table is at most a quarter full.
CHOMP_SLOW static void table_rebuild(Worker* worker, DependenceTable* table) {
  size_t live = 0;
  for (size_t i = 0; i < table->capacity; ++i) {
    DependenceEntry* entry = &table->entries[i];
    fetch_of(table, i + kFetchAhead);
    if (entry->address == 0) continue;
    entry->current.prune(worker);
    entry->previous.prune(worker);
    if (entry->current.empty() && entry->previous.empty())
      entry_clear(worker, entry);
    else
      ++live;
  }
  size_t capacity = kSmallestTable;
  while (capacity < 4 * live) capacity *= 2;
  DependenceEntry* old = table->entries;
  size_t old_capacity = table->capacity;
  table_use(table, entries_allocate(worker, capacity), capacity);
  for (size_t i = 0; i < old_capacity; ++i)
    if (old[i].address != 0) *table_find(table, old[i].address) = old[i];
  object_free(worker, old, old_capacity * sizeof(DependenceEntry));
  table->used = live;
}

/// Uses the free entry where the address belongs, in a larger table if this one is full.
CHOMP_SLOW static DependenceEntry* table_add(Worker* worker, DependenceTable* table, DependenceEntry* entry,
                                             uintptr_t address) {
  if (2 * (table->used + 1) > table->capacity) {
    table_rebuild(worker, table);
    entry = table_find(table, address);
  }
  ++table->used;
  entry->address = address;
  table->all.prune(worker);
  if (!table->all.empty()) entry->current.add(worker, table->all.newest());
  return entry;
}

void dependence_table_fetch(const DependenceTable* table, uintptr_t address) {
  DependenceEntry* entry = table_find(table, address);
  if (!entry->current.empty()) fetch_for_write(entry->current.newest());
}

void dependence_table_access(Worker* worker, DependenceTable* table, DependenceNode* node, uintptr_t address,
                             DependenceKind kind) {
  DependenceEntry* entry = table_find(table, address);
  if (CHOMP_UNLIKELY(entry->address == 0)) entry = table_add(worker, table, entry, address);
  if (!entry->current.empty() && entry->current.newest() == node) {
    // The construct names the address twice. If the kinds differ, the task is an `out` (and keeps a claim that it may
    // have).
    if (entry->kind == kind || entry->kind == DependenceKind::kOut) return;
    entry->current.remove_newest();
    kind = DependenceKind::kOut;
  }
  if (kind == DependenceKind::kOut) {
    if (!entry->previous.empty()) entry->previous.clear(worker);
    entry->current.hand_over(worker, node); // no task joins an `out`, so none will ask what came before
    entry->kind = kind;
  } else if (kind == entry->kind) {
    entry->previous.gather_for(worker, node);
  } else {
    entry->current.gather_for(worker, node);
    entry->previous.clear(worker);
    entry->previous.take(entry->current);
    entry->kind = kind;
  }
  entry->current.add(worker, node);
  if (kind == DependenceKind::kMutexInOutSet) {
    if (entry->mutex == nullptr) entry->mutex = new (object_allocate(worker, sizeof(MutexResource))) MutexResource;
    dependence_node_claim(worker, node, entry->mutex);
  }
}

void dependence_table_access_all(Worker* worker, DependenceTable* table, DependenceNode* node) {
  dependence_table_wait_all(worker, table, node);
  table_clear(worker, table);
  table->all.add(worker, node);
}

void dependence_table_wait(Worker* worker, DependenceTable* table, DependenceNode* node, uintptr_t address,
                           DependenceKind kind) {
  DependenceEntry* entry = table_find(table, address);
  if (entry->address == 0) return table->all.gather_for(worker, node);
  bool joins = kind == entry->kind && (kind == DependenceKind::kIn || kind == DependenceKind::kInOutSet);
  (joins ? entry->previous : entry->current).gather_for(worker, node);
}

void dependence_table_wait_all(Worker* worker, DependenceTable* table, DependenceNode* node) {
  table->all.gather_for(worker, node);
  for (size_t i = 0; i < table->capacity; ++i)
    if (table->entries[i].address != 0) table->entries[i].current.gather_for(worker, node);
}

void dependence_table_wait_own(Worker* worker, DependenceTable* table, DependenceNode* node) {
  table->all.gather_own_for(worker, node);
  for (size_t i = 0; i < table->capacity; ++i)
    if (table->entries[i].address != 0) table->entries[i].current.gather_own_for(worker, node);
}

} // namespace chomp
