// What a task remembers of its children's dependences: for each address, the last two generations of accesses. Called
// on one thread at a time, the table's worker. That is the worker that runs the parent, which changes only where an
// untied parent without children has yielded (may_move()): the table goes with it. Before a transparent parent begins
// it is the parent's creator, at the end the parent's finisher.
//
// A generation is either one `out`, or all consecutive accesses of one other kind, which do not wait for each other. A
// task waits for all tasks of the generation before its own; all older ones have finished by then.
//
//   out x       →  previous: ∅       current: {out}
//   in x, in x  →  previous: {out}   current: {in, in}
//   mutex x     →  previous: {in,in} current: {mutex}
//
// Memory: a node whose task has finished is dropped when an access meets it. An address whose tasks have all finished
// is dropped when the table is full. So sets and table grow with the tasks that wait or run, not with those that were
// created.
#pragma once

#include <cstddef>
#include <cstdint>

#include "runtime/dependences/dependence_node.h"

namespace chomp {

enum class DependenceKind : uint8_t { kOut, kIn, kMutexInOutSet, kInOutSet };

/// Nodes, oldest first. A few lie in the set itself, more in a block of their own.
class NodeSet {
public:
  bool empty() const { return count_ == 0; }
  DependenceNode* newest() const { return (capacity_ == 0 ? in_place_ : many_)[count_ - 1]; }
  void add(Worker* worker, DependenceNode* node);
  void remove_newest();
  void clear(Worker* worker);
  /// Drops nodes that have finished.
  void prune(Worker* worker);
  /// Lets `node` gather every node of the set that has not finished, and drops those that have.
  void gather_for(Worker* worker, DependenceNode* node);
  /// The same, without gates that were imported.
  void gather_own_for(Worker* worker, DependenceNode* node);
  /// The same as gather_for(), and the set is empty afterwards.
  void hand_over(Worker* worker, DependenceNode* node);
  /// Takes over the nodes of `other`, which is empty afterwards. This set must be empty.
  void take(NodeSet& other);

private:
  static constexpr uint32_t kInPlace = 3;

  DependenceNode** members() { return capacity_ == 0 ? in_place_ : many_; }
  uint32_t room() const { return capacity_ == 0 ? kInPlace : capacity_; }
  CHOMP_SLOW void grow(Worker* worker);
  CHOMP_SLOW void make_room(Worker* worker);
  CHOMP_SLOW void free_block(Worker* worker);

  union {
    DependenceNode* in_place_[kInPlace] = {};
    DependenceNode** many_;
  };
  uint32_t count_ = 0;
  uint32_t capacity_ = 0; // of many_; 0: in_place_ is in use
};

struct DependenceEntry {
  uintptr_t address = 0; // 0: free
  NodeSet current, previous;
  MutexResource* mutex = nullptr;             // made by the first mutexinoutset
  DependenceKind kind = DependenceKind::kOut; // of current
};

/// Open addressing, at most half full.
struct DependenceTable {
  DependenceEntry* entries;
  size_t capacity;     // a power of two
  unsigned hash_shift; // 64 - log2(capacity)
  size_t used = 0;
  uint32_t imports = 0; // how many tables of transparent children have been filled from this one
  uint32_t order = 0;   // of a transparent task's table: its number among the parent's imports; 0: none
  NodeSet all;          // the last omp_all_memory: for every address not in the table, the generation before the first
};

DependenceTable* dependence_table_create(Worker* worker);
void dependence_table_destroy(Worker* worker, DependenceTable* table);
/// Called when the parent has finished: frees the table of its children's dependences.
void dependence_table_free(Worker* worker, Task* parent);

/// Begins to fetch the node that accessed the address last.
void dependence_table_fetch(const DependenceTable* table, uintptr_t address);
/// Records an access of `node`, and lets it gather what it has to wait for.
void dependence_table_access(Worker* worker, DependenceTable* table, DependenceNode* node, uintptr_t address,
                             DependenceKind kind);
/// The same for omp_all_memory: an `out` of every address.
void dependence_table_access_all(Worker* worker, DependenceTable* table, DependenceNode* node);

/// How a table is filled from another one. `link` is called with each gate, once the gate is recorded.
struct TablePass {
  DependenceTable* to;
  bool import; // into the table of a transparent task that is about to be spawned; else imported gates are left out
  void (*link)(const void* context, DependenceNode* gate);
  const void* context;
};
/// Records in another table, for each unfinished generation of accesses, the access of a gate behind it.
void dependence_table_pass(Worker* worker, DependenceTable* from, const TablePass& pass);

/// Lets `node` gather what an access would wait for, without recording an access: the encountering task waits itself.
void dependence_table_wait(Worker* worker, DependenceTable* table, DependenceNode* node, uintptr_t address,
                           DependenceKind kind);
void dependence_table_wait_all(Worker* worker, DependenceTable* table, DependenceNode* node);
/// The same as dependence_table_wait_all(), without gates that were imported.
void dependence_table_wait_own(Worker* worker, DependenceTable* table, DependenceNode* node);

} // namespace chomp
