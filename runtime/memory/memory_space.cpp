// See memory_space.h.
#include "runtime/memory/memory_space.h"

#include <algorithm>
#include <iterator>

#include "runtime/base/os_linux.h"
#include "runtime/memory/devices.h"

namespace chomp {

AllocatorHandle allocator_of_space(MemorySpace space) {
  // The numbers of omp.h, in the order of the allocators, from 1: default, large capacity, constant, high bandwidth,
  // low latency.
  static constexpr MemorySpace kSpaces[] = {99, 1, 2, 3, 4};
  const MemorySpace* found = std::find(std::begin(kSpaces), std::end(kSpaces), space);
  const bool exists = found != std::end(kSpaces) && memory_space_is_served(space);
  return exists ? static_cast<AllocatorHandle>(found - kSpaces) + 1 : kNullAllocator;
}

MemorySpace space_of_devices_and_host(int count, const int* devices, MemorySpace kind) {
  if (count < 0 || (count > 0 && devices == nullptr) || !memory_space_exists(kind)) return kNullMemorySpace;
  return std::all_of(devices, devices + count, is_host) ? kind : kNullMemorySpace;
}

// An empty set of devices has no memory.
MemorySpace space_of_devices(int count, const int* devices, MemorySpace kind) {
  return count > 0 ? space_of_devices_and_host(count, devices, kind) : kNullMemorySpace;
}

MemorySpace space_of_all_devices(MemorySpace kind) {
  return device_count() == 0 && memory_space_exists(kind) ? kind : kNullMemorySpace;
}

int memory_space_resources(MemorySpace space) { return memory_space_exists(space) ? 1 : 0; }

size_t memory_space_page_size(MemorySpace space) { return memory_space_exists(space) ? page_size() : 0; }

MemorySpace memory_space_part(MemorySpace space, int count, const int* resources) {
  const bool whole = memory_space_exists(space) && count == 1 && resources != nullptr && resources[0] == 0;
  return whole ? space : kNullMemorySpace;
}

} // namespace chomp
