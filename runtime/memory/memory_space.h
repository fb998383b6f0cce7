// Memory spaces of programs (OpenMP 6.0, 27.2 and 27.4). Only the host's memory is known here, so a set with another
// device has no space in common. A space is one resource, with number 0. Any thread may call these.
#pragma once

#include <cstddef>

#include "runtime/memory/allocator.h"

namespace chomp {

constexpr MemorySpace kNullMemorySpace = 0; // in headers that declare what has it; in older ones the default space

/// The predefined allocator of a predefined space; null: the space does not exist here.
AllocatorHandle allocator_of_space(MemorySpace space);
inline bool memory_space_exists(MemorySpace space) { return allocator_of_space(space) != kNullAllocator; }

/// The space of that kind that all these devices can use; the host, too, or only if it is in the list.
MemorySpace space_of_devices_and_host(int count, const int* devices, MemorySpace kind);
MemorySpace space_of_devices(int count, const int* devices, MemorySpace kind);
MemorySpace space_of_all_devices(MemorySpace kind);

int memory_space_resources(MemorySpace space);
/// In bytes; 0 if the handle is no space.
size_t memory_space_page_size(MemorySpace space);
/// The space with only these of its resources; null if it does not have them.
MemorySpace memory_space_part(MemorySpace space, int count, const int* resources);

} // namespace chomp
