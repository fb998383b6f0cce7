// Memory spaces and allocators of devices (OpenMP 6.0, 27.2 and 27.4; LLVM's <omp.h> since 20).
#include "abi/abi.h"
#include "abi/omp_c_api.h"
#include "runtime/memory/memory_space.h"

using namespace chomp;

using Space = omp_memspace_handle_t;
using Allocator = omp_allocator_handle_t;

#define SPACE_AND_ALLOCATOR(name, space, ...)                                                                          \
  CHOMP_EXPORT Space name##_memspace(__VA_ARGS__) { return space; }                                                    \
  CHOMP_EXPORT Allocator name##_allocator(__VA_ARGS__) { return allocator_of_space(space); }
SPACE_AND_ALLOCATOR(omp_get_devices, space_of_devices(count, devices, kind), int count, const int* devices, Space kind)
SPACE_AND_ALLOCATOR(omp_get_devices_and_host, space_of_devices_and_host(count, devices, kind), int count,
                    const int* devices, Space kind)
SPACE_AND_ALLOCATOR(omp_get_device, space_of_devices_and_host(1, &device, kind), int device, Space kind)
SPACE_AND_ALLOCATOR(omp_get_device_and_host, space_of_devices_and_host(1, &device, kind), int device, Space kind)
SPACE_AND_ALLOCATOR(omp_get_devices_all, space_of_all_devices(kind), Space kind)

CHOMP_EXPORT int omp_get_memspace_num_resources(Space space) { return memory_space_resources(space); }
CHOMP_EXPORT size_t omp_get_memspace_pagesize(Space space) { return memory_space_page_size(space); }
CHOMP_EXPORT Space omp_get_submemspace(Space space, int count, const int* resources) {
  return memory_space_part(space, count, resources);
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
