// Memory spaces and allocators of devices (OpenMP 6.0, 27.2 and 27.4; LLVM's <omp.h> since 20). Any thread may ask.
#include "abi/abi.h"
#include "abi/omp_c_api.h"
#include "runtime/base/os_linux.h"
#include "runtime/memory/devices.h"

using namespace chomp;

using Space = omp_memspace_handle_t;
using Allocator = omp_allocator_handle_t;

CHOMP_EXPORT Space omp_get_devices_and_host_memspace(int count, const int* devices, Space kind) {
  return common_memory_space(count, devices, kind);
}
/// Here the host is no part of the set, so an empty set of devices has no memory.
CHOMP_EXPORT Space omp_get_devices_memspace(int count, const int* devices, Space kind) {
  return count > 0 ? common_memory_space(count, devices, kind) : kNullMemorySpace;
}
CHOMP_EXPORT Space omp_get_device_memspace(int device, Space kind) { return common_memory_space(1, &device, kind); }
CHOMP_EXPORT Space omp_get_device_and_host_memspace(int device, Space kind) {
  return common_memory_space(1, &device, kind);
}
CHOMP_EXPORT Space omp_get_devices_all_memspace(Space kind) {
  return device_count() == 0 ? common_memory_space(0, nullptr, kind) : kNullMemorySpace;
}

CHOMP_EXPORT Allocator omp_get_devices_and_host_allocator(int count, const int* devices, Space kind) {
  return allocator_of_space(omp_get_devices_and_host_memspace(count, devices, kind));
}
CHOMP_EXPORT Allocator omp_get_devices_allocator(int count, const int* devices, Space kind) {
  return allocator_of_space(omp_get_devices_memspace(count, devices, kind));
}
CHOMP_EXPORT Allocator omp_get_device_allocator(int device, Space kind) {
  return allocator_of_space(omp_get_device_memspace(device, kind));
}
CHOMP_EXPORT Allocator omp_get_device_and_host_allocator(int device, Space kind) {
  return allocator_of_space(omp_get_device_and_host_memspace(device, kind));
}
CHOMP_EXPORT Allocator omp_get_devices_all_allocator(Space kind) {
  return allocator_of_space(omp_get_devices_all_memspace(kind));
}

CHOMP_EXPORT int omp_get_memspace_num_resources(Space space) { return memory_space_exists(space) ? 1 : 0; }

/// In bytes; 0 if the handle is no space.
CHOMP_EXPORT size_t omp_get_memspace_pagesize(Space space) { return memory_space_exists(space) ? page_size() : 0; }

/// The space with only these of its resources; null if it does not have them.
CHOMP_EXPORT Space omp_get_submemspace(Space space, int count, const int* resources) {
  const bool whole = memory_space_exists(space) && count == 1 && resources != nullptr && resources[0] == 0;
  return whole ? space : kNullMemorySpace;
}

// ---- Fortran ------------------------------------------------------------------------------------------------------

#define OF_DEVICES(Return, name)                                                                                       \
  CHOMP_EXPORT Return name##_(const int* count, const int* devices, const Space* kind) {                               \
    return name(*count, devices, *kind);                                                                               \
  }
#define OF_DEVICE(Return, name)                                                                                        \
  CHOMP_EXPORT Return name##_(const int* device, const Space* kind) { return name(*device, *kind); }
#define OF_SPACE(Return, name)                                                                                         \
  CHOMP_EXPORT Return name##_(const Space* space) { return name(*space); }

OF_DEVICES(Space, omp_get_devices_memspace)
OF_DEVICES(Space, omp_get_devices_and_host_memspace)
OF_DEVICES(Allocator, omp_get_devices_allocator)
OF_DEVICES(Allocator, omp_get_devices_and_host_allocator)
OF_DEVICE(Space, omp_get_device_memspace)
OF_DEVICE(Space, omp_get_device_and_host_memspace)
OF_DEVICE(Allocator, omp_get_device_allocator)
OF_DEVICE(Allocator, omp_get_device_and_host_allocator)
OF_SPACE(Space, omp_get_devices_all_memspace)
OF_SPACE(Allocator, omp_get_devices_all_allocator)
OF_SPACE(int, omp_get_memspace_num_resources)
CHOMP_EXPORT Space omp_get_submemspace_(const Space* space, const int* count, const int* resources) {
  return omp_get_submemspace(*space, *count, resources);
}
