// Memory for tasks and for the runtime's own small objects: blocks in size classes, from slabs that are never unmapped.
// A worker allocates from and frees to its own lists. A block that is freed where it was allocated needs no count: of
// such blocks a list holds no more than the worker once had in use at a time. A surplus of blocks that others allocated
// goes to a depot in batches, from which a worker with an empty list takes one. Otherwise the memory of a producer
// whose tasks are freed elsewhere would grow for ever.
//
//   blocks of a class = waiting in lists + in the depot + in use
#pragma once

#include <cstddef>

#include "runtime/base/check.h"
#include "runtime/base/freed_memory.h"
#include "runtime/core/memory_state.h"
#include "runtime/core/task.h"
#include "runtime/core/worker.h"

namespace chomp {

/// A block of that class, 64-byte aligned, contents undefined. Fatal when memory is out.
CHOMP_SLOW Task* block_allocate_slow(Worker* worker, unsigned size_class);
/// Gives a batch to the depot, when the worker has freed kBatch blocks that others allocated.
CHOMP_SLOW void block_surplus_slow(Worker* worker, unsigned size_class);

// What lies behind the header of a block. The header itself is looked at in free blocks too: it links them, and a walk
// to ancestors may come to it (constraint.cpp).
inline size_t bytes_behind_header(unsigned size_class) { return size_of_class(size_class) - sizeof(Task); }

inline Task* block_allocate(Worker* worker, unsigned size_class) {
  Task* block = worker->memory.free_blocks[size_class];
  if (CHOMP_UNLIKELY(block == nullptr))
    block = block_allocate_slow(worker, size_class);
  else
    worker->memory.free_blocks[size_class] = block->below();
  mark_in_use(block + 1, bytes_behind_header(size_class));
  return block;
}

/// Frees a block that this worker allocated.
inline void block_free_own(Worker* worker, Task* block, unsigned size_class) {
  DCHECK(block->extra == nullptr && block->local_children == 0 &&
         block->shared_children.load(std::memory_order_relaxed) == 0); // relaxed: nobody else has the block
  mark_freed(block + 1, bytes_behind_header(size_class));
  block->next = worker->memory.free_blocks[size_class];
  worker->memory.free_blocks[size_class] = block;
}

/// Frees a block that any worker may have allocated.
inline void block_free(Worker* worker, Task* block, unsigned size_class) {
  block_free_own(worker, block, size_class);
  if (CHOMP_UNLIKELY(++worker->memory.surplus[size_class] >= kBatch)) block_surplus_slow(worker, size_class);
}

/// Zeroed memory that is never freed, 64-byte aligned: worker records, teams, slots of deques.
void* memory_permanent(size_t bytes);
/// The next `bytes` of it are about to be written.
void memory_permanent_commit(size_t bytes);

/// Small objects of the runtime (dependence nodes, taskgroups …) from the same lists. `bytes` is the same at free as at
/// allocation.
void* object_allocate(Worker* worker, size_t bytes);
void object_free(Worker* worker, void* object, size_t bytes);

/// Gives a worker's lists to the depot, when its thread exits.
void memory_release_lists(Worker* worker);
void memory_reset_after_fork();

} // namespace chomp
