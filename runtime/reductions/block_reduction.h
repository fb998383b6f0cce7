// Task reductions as GCC's code has them: compiled code does everything but two things. It lays out one block per
// member of the team, with the private copies of all items. Each copy has a flag that says whether a task has made it
// ready. Tasks initialise the copies, and GCC's code combines them when the group or region is over. The runtime gives
// zeroed memory for the blocks, and translates the address of an original, or of any member's copy, into that of the
// calling member's copy. (In task_reduction.h the runtime does everything.) Called by abi/gomp_reduction.*, and by
// abi/gomp_task.cpp for taskloops.
//
// The compiler's description of a reduction lies in the encountering task's frame and outlives its group. A parallel
// region has one description, a worksharing region one in each member's frame; these share their blocks.
#pragma once

#include <cstddef>
#include <cstdint>

#include "runtime/core/worker.h"

namespace chomp {

/// The description as the compiler lays it out. Compiled code fills `count`, `block_bytes`, `blocks` (with the
/// alignment) and the items, and reads `blocks`; the rest is the runtime's.
struct BlockReduction {
  struct Item {
    void* original;
    size_t offset; // in each block
    void* unused;
  };
  static constexpr int64_t kNotBegun = -1;

  uint64_t count;
  size_t block_bytes; // a multiple of the alignment
  uintptr_t blocks;   // first the alignment, then the memory: member i's block begins at blocks + i * block_bytes
  int64_t members;    // how many blocks there are; the compiler stores kNotBegun
  uintptr_t unused;
  void* allocated; // the memory to free, and its size; in a worksharing region its RegionBlocks
  size_t allocated_bytes;
  Item items[];

  uintptr_t end() const { return blocks + static_cast<size_t>(members) * block_bytes; }
};
static_assert(offsetof(BlockReduction, items) == 56 && sizeof(BlockReduction::Item) == 24);

/// From here on the tasks of the current taskgroup take part in the reduction, until the group ends.
void block_reduction_begin(Worker* worker, BlockReduction* reduction);

/// Called after the group, or the parallel region, has ended and its copies have been combined: frees the blocks.
void block_reduction_end(Worker* worker, BlockReduction* reduction);

/// Called by each member that enters the parallel region of `reduction`. Begins a taskgroup; taskgroup_end() ends it.
void block_reduction_enter_parallel(Worker* worker, BlockReduction* reduction);

/// Called by each member that encounters a worksharing region; `reduction` is the member's own. Begins a taskgroup.
void block_reduction_enter_worksharing(Worker* worker, BlockReduction* reduction);

/// Called when the member leaves the region: ends the taskgroup. The last member frees the blocks.
void block_reduction_leave_worksharing(Worker* worker);

/// Called between regions: frees the blocks of worksharing regions that members left by cancellation.
void block_reduction_drop_regions(Worker* worker, Team* team);

/// Replaces each of `count` addresses by that of the calling member's copy. Behind them it stores the addresses of the
/// originals of the first `originals_wanted`.
void block_reduction_translate(Worker* worker, size_t count, size_t originals_wanted, void** addresses);

/// Called in the child of fork(), since another thread may have held the lock.
void block_reduction_reset_after_fork();

} // namespace chomp
