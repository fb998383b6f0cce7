// Memory spaces and allocators of devices (OpenMP 6.0, 27.2 and 27.4; LLVM's <omp.h> since 20):
// questions that need nothing from the runtime. Any thread may ask them.
//
// Only the host's memory is known here, so a set with another device has no space in common. A predefined space is one
// resource; its allocator is the predefined one (omp_alloc.cpp).
#include <sys/auxv.h>

#include "abi/abi.h"
#include "abi/devices.h"
#include "abi/omp_c_api.h"
#include "runtime/base/memkind.h"

using chomp::memory_kind_available;
using chomp::MemoryKind;
using chomp::abi::is_host;

namespace {

using Space = omp_memspace_handle_t;
using Allocator = omp_allocator_handle_t;

constexpr Space kNullSpace = 0; // in headers that declare these functions; in older ones 0 is the default space
constexpr Allocator kNullAllocator = 0;

// The numbers of omp.h: default, large capacity, constant, high bandwidth, low latency.
constexpr Space kHighBandwidthSpace = 3;
constexpr struct {
  Space space;
  Allocator allocator;
} kSpaces[] = {{99, 1}, {1, 2}, {2, 3}, {kHighBandwidthSpace, 4}, {4, 5}};

Allocator allocator_of(Space space) {
  if (space == kHighBandwidthSpace && !memory_kind_available(MemoryKind::kHighBandwidth)) return kNullAllocator;
  for (const auto& known : kSpaces)
    if (known.space == space) return known.allocator;
  return kNullAllocator;
}

bool exists(Space space) { return allocator_of(space) != kNullAllocator; }

/// The space of that kind that all these devices and the host can use.
Space common_space(int count, const int* devices, Space kind) {
  if (count < 0 || (count > 0 && devices == nullptr) || !exists(kind)) return kNullSpace;
  for (int i = 0; i < count; ++i)
    if (!is_host(devices[i])) return kNullSpace;
  return kind;
}

} // namespace

CHOMP_EXPORT Space omp_get_devices_and_host_memspace(int count, const int* devices, Space kind) {
  return common_space(count, devices, kind);
}
/// Here the host is no part of the set, so an empty set of devices has no memory.
CHOMP_EXPORT Space omp_get_devices_memspace(int count, const int* devices, Space kind) {
  return count > 0 ? common_space(count, devices, kind) : kNullSpace;
}
CHOMP_EXPORT Space omp_get_device_memspace(int device, Space kind) { return common_space(1, &device, kind); }
CHOMP_EXPORT Space omp_get_device_and_host_memspace(int device, Space kind) { return common_space(1, &device, kind); }
CHOMP_EXPORT Space omp_get_devices_all_memspace(Space kind) {
  return omp_get_num_devices() == 0 ? common_space(0, nullptr, kind) : kNullSpace;
}

CHOMP_EXPORT Allocator omp_get_devices_and_host_allocator(int count, const int* devices, Space kind) {
  return allocator_of(omp_get_devices_and_host_memspace(count, devices, kind));
}
CHOMP_EXPORT Allocator omp_get_devices_allocator(int count, const int* devices, Space kind) {
  return allocator_of(omp_get_devices_memspace(count, devices, kind));
}
CHOMP_EXPORT Allocator omp_get_device_allocator(int device, Space kind) {
  return allocator_of(omp_get_device_memspace(device, kind));
}
CHOMP_EXPORT Allocator omp_get_device_and_host_allocator(int device, Space kind) {
  return allocator_of(omp_get_device_and_host_memspace(device, kind));
}
CHOMP_EXPORT Allocator omp_get_devices_all_allocator(Space kind) {
  return allocator_of(omp_get_devices_all_memspace(kind));
}

CHOMP_EXPORT int omp_get_memspace_num_resources(Space space) { return exists(space) ? 1 : 0; }

/// In bytes; 0 if the handle is no space.
CHOMP_EXPORT size_t omp_get_memspace_pagesize(Space space) {
  return exists(space) ? static_cast<size_t>(getauxval(AT_PAGESZ)) : 0;
}

/// The space with only these of its resources; null if it does not have them.
CHOMP_EXPORT Space omp_get_submemspace(Space space, int count, const int* resources) {
  const bool whole = exists(space) && count == 1 && resources != nullptr && resources[0] == 0;
  return whole ? space : kNullSpace;
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
