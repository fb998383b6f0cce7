// Taking blocks from and returning them to a worker's own lists: the fast halves of memory.cpp, inlined into the hot
// path.
#pragma once

#include "runtime/memory.h"
#include "runtime/worker.h"

namespace chomp {

inline Task* block_allocate(Worker* worker, unsigned size_class) {
  FreeList& list = worker->free_lists[size_class];
  Task* block = list.active;
  if (CHOMP_UNLIKELY(block == nullptr)) return block_allocate_slow(worker, size_class);
  list.active = block->below();
  --list.active_count;
  return block;
}

inline void block_free(Worker* worker, Task* block, unsigned size_class) {
  FreeList& list = worker->free_lists[size_class];
  if (CHOMP_UNLIKELY(list.active_count >= kBatch)) return block_free_slow(worker, block, size_class);
  block->next = list.active;
  list.active = block;
  ++list.active_count;
}

} // namespace chomp
