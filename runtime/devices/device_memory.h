// Memory of devices (OpenMP 5.2, 18.8). An offload library in the process answers; without one the host is the only
// device. Any thread may call these. A device is named by any of its numbers (runtime/memory/devices.h).
#pragma once

#include <cstddef>

namespace chomp {

struct DependenceList;
struct Worker;

struct DeviceCopy {
  void* to;
  const void* from;
  size_t length, to_offset, from_offset;
  int to_device, from_device;
};

/// A copy of a box. `volume` is its size; the offsets say where it begins; all in elements, for each dimension.
struct DeviceBoxCopy {
  void* to;
  const void* from;
  size_t element_bytes;
  int dimensions;
  const size_t *volume, *to_offsets, *from_offsets, *to_dimensions, *from_dimensions;
  int to_device, from_device;
};

void* device_allocate(size_t size, int device);
void device_free(void* memory, int device);
void* device_fill(void* to, int value, size_t length, int device);

/// Returns 0, or an errno value. A copy of a box without memory returns how many dimensions are supported.
int device_copy(const DeviceCopy& copy);
int device_copy_box(const DeviceBoxCopy& copy);

/// The asynchronous forms: the copy happens inside the call, after the tasks that it depends on. Never forwarded as
/// such, since another library would not know our tasks.
int device_copy_after(Worker* worker, const DependenceList& list, const DeviceCopy& copy);
int device_copy_box_after(Worker* worker, const DependenceList& list, const DeviceBoxCopy& copy);
void* device_fill_after(Worker* worker, const DependenceList& list, void* to, int value, size_t length, int device);

/// What memory a device has: whether the host's `address` is mapped there, to which address, and whether the device may
/// use the host's memory itself.
bool device_has(const void* address, int device);
void* device_address_of(const void* address, int device);
bool device_can_access(const void* address, size_t length, int device);
/// Refused for the host, where every address stands for itself already.
int device_associate(const void* host, const void* address, size_t size, size_t offset, int device);
int device_disassociate(const void* address, int device);

/// The device's function for a pointer to a function of the host; on the host, that function itself.
void* device_function_of(void* function);
/// The memory that a device kernel was launched with; the host has none.
void* device_group_memory();

} // namespace chomp
