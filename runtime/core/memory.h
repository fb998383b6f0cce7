// Memory for tasks and for the runtime's own small objects: blocks in size classes, from slabs that are never unmapped.
// A worker allocates from and frees to its own lists. A block that is freed where it was allocated needs no count: of
// such blocks a list holds no more than the worker once had in use at a time. A surplus of blocks that others allocated
// goes to a depot in batches, from which a worker with an empty list takes one. Otherwise the memory of a producer
// whose tasks are freed elsewhere would grow for ever.
//
//   blocks of a class = waiting in lists + in the depot + in use
#pragma once

#include <cstddef>
#include <cstdint>

#include "runtime/base/check.h"

namespace chomp {

struct Task;
struct Worker;

// Classes 1 … 16 are multiples of 64 bytes; class 17 + k is 2048 << k.
inline constexpr unsigned kFineClasses = 16;
inline constexpr unsigned kSizeClasses = 48;
inline constexpr unsigned kBatch = 64; // blocks moved to or from the depot at once

inline unsigned size_class_of(size_t bytes) {
  if (CHOMP_LIKELY(bytes <= kFineClasses * 64)) return static_cast<unsigned>((bytes + 63) / 64);
  unsigned log = 64 - static_cast<unsigned>(__builtin_clzl(bytes - 1)); // bytes <= 1 << log, log >= 11
  return kFineClasses + 1 + (log - 11);
}
inline size_t size_of_class(unsigned size_class) {
  return size_class <= kFineClasses ? size_class * size_t{64} : size_t{2048} << (size_class - kFineClasses - 1);
}

/// A worker's own blocks. Owner only.
struct MemoryState {
  Task* free_blocks[kSizeClasses] = {}; // linked through Task::next
  uint32_t surplus[kSizeClasses] = {};  // freed here, but allocated elsewhere
};

/// A block of that class, 64-byte aligned, contents undefined. Fatal when memory is out.
CHOMP_SLOW Task* block_allocate_slow(Worker* worker, unsigned size_class);
/// Gives a batch to the depot, when the worker has freed kBatch blocks that others allocated.
CHOMP_SLOW void block_surplus_slow(Worker* worker, unsigned size_class);

/// Zeroed memory that is never freed, 64-byte aligned: worker records, teams, slots of deques.
void* memory_permanent(size_t bytes);

/// Small objects of the runtime (dependence nodes, taskgroups …) from the same lists. `bytes` is the same at free as at
/// allocation.
void* object_allocate(Worker* worker, size_t bytes);
void object_free(Worker* worker, void* object, size_t bytes);

/// Gives a worker's lists to the depot, when its thread exits.
void memory_release_lists(Worker* worker);
void memory_reset_after_fork();

} // namespace chomp
