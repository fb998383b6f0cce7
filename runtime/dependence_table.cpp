// See dependence_table.h. Everything here runs on the worker of the parent task; only nodes have other visitors.
#include "runtime/dependence_table.h"

#include <new>
#include <string.h>

#include "runtime/memory.h"

namespace chomp {

// ---- Sets of nodes --------------------------------------------------------------------------------------------------

void NodeSet::grow(Worker* worker) {
  uint32_t capacity = capacity_ == 0 ? 8 : 2 * capacity_;
  auto many = static_cast<DependenceNode**>(object_allocate(worker, capacity * sizeof(DependenceNode*)));
  memcpy(many, members(), count_ * sizeof(DependenceNode*));
  if (capacity_ != 0) object_free(worker, many_, capacity_ * sizeof(DependenceNode*));
  many_ = many;
  capacity_ = capacity;
}

void NodeSet::add(Worker* worker, DependenceNode* node) {
  uint32_t room = capacity_ == 0 ? 1 : capacity_;
  if (count_ == room) {
    prune(worker);
    // Grown unless half is free again: a set is pruned once for as many additions as it has members.
    if (2 * count_ > room) grow(worker);
  }
  members()[count_++] = node;
  ++node->table_references;
}

void NodeSet::remove_newest(Worker* worker) {
  DependenceNode* node = newest();
  --count_;
  dependence_node_drop_table_reference(worker, node);
}

void NodeSet::clear(Worker* worker) {
  DependenceNode** list = members();
  for (uint32_t i = 0; i < count_; ++i) dependence_node_drop_table_reference(worker, list[i]);
  if (capacity_ != 0) object_free(worker, many_, capacity_ * sizeof(DependenceNode*));
  one_ = nullptr;
  count_ = capacity_ = 0;
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

uint32_t NodeSet::link(Worker* worker, DependenceNode* sink) {
  DependenceNode** list = members();
  uint32_t kept = 0, linked = 0;
  for (uint32_t i = 0; i < count_; ++i) {
    if (dependence_node_add_successor(worker, list[i], sink)) ++linked;
    if (list[i]->is_finished())
      dependence_node_drop_table_reference(worker, list[i]);
    else
      list[kept++] = list[i];
  }
  count_ = kept;
  return linked;
}

void NodeSet::take(NodeSet& other) {
  *this = other;
  other.one_ = nullptr;
  other.count_ = other.capacity_ = 0;
}

// ---- The table ------------------------------------------------------------------------------------------------------

static constexpr size_t kSmallestTable = 16;

static DependenceEntry* entries_allocate(Worker* worker, size_t capacity) {
  auto entries = static_cast<DependenceEntry*>(object_allocate(worker, capacity * sizeof(DependenceEntry)));
  for (size_t i = 0; i < capacity; ++i) new (&entries[i]) DependenceEntry;
  return entries;
}

static void entry_clear(Worker* worker, DependenceEntry* entry) {
  entry->current.clear(worker);
  entry->previous.clear(worker);
  if (entry->mutex != nullptr) mutex_resource_drop(worker, entry->mutex);
  *entry = DependenceEntry{};
}

static void table_clear(Worker* worker, DependenceTable* table) {
  for (size_t i = 0; i < table->capacity; ++i)
    if (table->entries[i].address != 0) entry_clear(worker, &table->entries[i]);
  table->used = 0;
  table->all.clear(worker);
}

DependenceTable* dependence_table_create(Worker* worker) {
  auto table = new (object_allocate(worker, sizeof(DependenceTable))) DependenceTable;
  table->capacity = kSmallestTable;
  table->entries = entries_allocate(worker, table->capacity);
  return table;
}

void dependence_table_destroy(Worker* worker, DependenceTable* table) {
  table_clear(worker, table);
  object_free(worker, table->entries, table->capacity * sizeof(DependenceEntry));
  object_free(worker, table, sizeof(DependenceTable));
}

/// The entry of the address, or the free one where it belongs.
static DependenceEntry* table_find(DependenceEntry* entries, size_t capacity, uintptr_t address) {
  // Fibonacci hashing: the upper bits of the product depend on all bits of the address.
  size_t index = (address * UINT64_C(0x9e3779b97f4a7c15)) >> (64 - __builtin_ctzl(capacity));
  while (entries[index].address != 0 && entries[index].address != address) index = (index + 1) & (capacity - 1);
  return &entries[index];
}

/// Forgets addresses whose tasks have all finished; then the table is at most a quarter full.
static void table_rebuild(Worker* worker, DependenceTable* table) {
  size_t live = 0;
  for (size_t i = 0; i < table->capacity; ++i) {
    DependenceEntry* entry = &table->entries[i];
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
  DependenceEntry* entries = entries_allocate(worker, capacity);
  for (size_t i = 0; i < table->capacity; ++i)
    if (uintptr_t address = table->entries[i].address) *table_find(entries, capacity, address) = table->entries[i];
  object_free(worker, table->entries, table->capacity * sizeof(DependenceEntry));
  table->entries = entries;
  table->capacity = capacity;
  table->used = live;
}

static DependenceEntry* table_find_or_add(Worker* worker, DependenceTable* table, uintptr_t address) {
  DependenceEntry* entry = table_find(table->entries, table->capacity, address);
  if (entry->address != 0) return entry;
  if (2 * (table->used + 1) > table->capacity) {
    table_rebuild(worker, table);
    entry = table_find(table->entries, table->capacity, address);
  }
  ++table->used;
  entry->address = address;
  table->all.prune(worker);
  if (!table->all.empty()) entry->current.add(worker, table->all.newest());
  return entry;
}

uint32_t dependence_table_access(Worker* worker, DependenceTable* table, DependenceNode* node, uintptr_t address,
                                 DependenceKind kind) {
  DependenceEntry* entry = table_find_or_add(worker, table, address);
  if (!entry->current.empty() && entry->current.newest() == node) {
    // The construct names the address twice. Of two kinds, the task is an `out` (and keeps the claim it may have).
    if (entry->kind == kind || entry->kind == DependenceKind::kOut) return 0;
    entry->current.remove_newest(worker);
    kind = DependenceKind::kOut;
  }
  uint32_t linked;
  if (kind == entry->kind && kind != DependenceKind::kOut) {
    linked = entry->previous.link(worker, node);
  } else {
    linked = entry->current.link(worker, node);
    entry->previous.clear(worker);
    if (kind == DependenceKind::kOut)
      entry->current.clear(worker); // nobody joins an `out`, so nobody will ask what came before
    else
      entry->previous.take(entry->current);
    entry->kind = kind;
  }
  entry->current.add(worker, node);
  if (kind == DependenceKind::kMutexInOutSet) {
    if (entry->mutex == nullptr) entry->mutex = new (object_allocate(worker, sizeof(MutexResource))) MutexResource;
    dependence_node_claim(worker, node, entry->mutex);
  }
  return linked;
}

uint32_t dependence_table_access_all(Worker* worker, DependenceTable* table, DependenceNode* node) {
  uint32_t linked = dependence_table_wait_all(worker, table, node);
  table_clear(worker, table);
  table->all.add(worker, node);
  return linked;
}

uint32_t dependence_table_wait(Worker* worker, DependenceTable* table, DependenceNode* node, uintptr_t address,
                               DependenceKind kind) {
  DependenceEntry* entry = table_find(table->entries, table->capacity, address);
  if (entry->address == 0) return table->all.link(worker, node);
  bool joins = kind == entry->kind && (kind == DependenceKind::kIn || kind == DependenceKind::kInOutSet);
  return (joins ? entry->previous : entry->current).link(worker, node);
}

uint32_t dependence_table_wait_all(Worker* worker, DependenceTable* table, DependenceNode* node) {
  uint32_t linked = table->all.link(worker, node);
  for (size_t i = 0; i < table->capacity; ++i)
    if (table->entries[i].address != 0) linked += table->entries[i].current.link(worker, node);
  return linked;
}

} // namespace chomp
