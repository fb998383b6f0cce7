// Memory allocators (OpenMP 5.2, chapters 6 and 18.13). abi/omp_alloc.cpp calls this. Any thread may; from the runtime
// the functions need the current task's default allocator.
#pragma once

#include <cstddef>
#include <cstdint>

namespace chomp {

using AllocatorHandle = uintptr_t; // a predefined allocator's number in <omp.h>, or the address of one that was made
using MemorySpace = uintptr_t;     // its number in <omp.h>

constexpr AllocatorHandle kNullAllocator = 0; // stands for the default allocator
constexpr uintptr_t kTargetHost = 100;        // allocators and spaces have the same three numbers
constexpr uintptr_t kTargetDevice = 102;

/// A trait of an allocator. The keys and values are in allocator.cpp.
struct AllocatorTrait {
  int32_t key;
  uintptr_t value;
};
static_assert(sizeof(AllocatorTrait) == 16);

/// Whether the space has memory of its kind here.
bool memory_space_is_served(MemorySpace space);

/// As the specification asks, null if the space does not exist here (high bandwidth, target) or a trait makes no sense.
AllocatorHandle allocator_create(MemorySpace space, int trait_count, const AllocatorTrait* traits);
void allocator_destroy(AllocatorHandle handle);

/// def-allocator-var of the current task.
AllocatorHandle allocator_default();
void allocator_set_default(AllocatorHandle handle);

/// Null if `size` is 0, or where there is no memory left and the allocator's fallback says so. `alignment` 0: malloc's.
void* allocator_allocate(size_t alignment, size_t size, AllocatorHandle handle);
void* allocator_allocate_zeroed(size_t alignment, size_t count, size_t size, AllocatorHandle handle);
/// For code that does not look for null: ends the program instead.
void* allocator_allocate_or_end(size_t alignment, size_t size, AllocatorHandle handle);
/// If only one allocator is given, it is used for both; if none is, the block's own.
void* allocator_reallocate(void* block, size_t size, AllocatorHandle handle, AllocatorHandle free_handle);
void allocator_release(void* block, AllocatorHandle handle);

// Intel's malloc family is libc's. A size of 0 frees a block; an alignment that is no power of two sets errno.
void* libc_reallocate(void* block, size_t size);
void* libc_aligned_allocate(size_t size, size_t alignment);

} // namespace chomp
