// See device_memory.h. Each function asks the offload library under the name that programs call.
#include "runtime/devices/device_memory.h"

#include <algorithm>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/dependences/task_deps.h"
#include "runtime/devices/offload_library.h"

namespace chomp {

void* device_allocate(size_t size, int device) {
  if (auto* next = next_definition<void*(size_t, int)>("omp_target_alloc")) return next(size, device_number(device));
  return is_host(device) && size != 0 ? malloc(size) : nullptr;
}

void device_free(void* memory, int device) {
  if (auto* next = next_definition<void(void*, int)>("omp_target_free")) return next(memory, device_number(device));
  if (is_host(device)) free(memory);
}

void* device_fill(void* to, int value, size_t length, int device) {
  using Function = void*(void*, int, size_t, int);
  if (auto* next = of_devices<Function>("omp_target_memset", device))
    return next(to, value, length, device_number(device));
  return is_host(device) && to != nullptr ? memset(to, value, length) : to;
}

// ---- Copies -------------------------------------------------------------------------------------------------------

int device_copy(const DeviceCopy& copy) {
  using Function = int(void*, const void*, size_t, size_t, size_t, int, int);
  if (auto* next = next_definition<Function>("omp_target_memcpy"))
    return next(copy.to, copy.from, copy.length, copy.to_offset, copy.from_offset, device_number(copy.to_device),
                device_number(copy.from_device));
  if (!is_host(copy.to_device) || !is_host(copy.from_device)) return EINVAL;
  memcpy(static_cast<char*>(copy.to) + copy.to_offset, static_cast<const char*>(copy.from) + copy.from_offset,
         copy.length);
  return 0;
}

static void copy_dimension(char* to, const char* from, const DeviceBoxCopy& box, int dimension) {
  if (dimension == box.dimensions - 1) {
    memcpy(to + box.to_offsets[dimension] * box.element_bytes, from + box.from_offsets[dimension] * box.element_bytes,
           box.volume[dimension] * box.element_bytes);
    return;
  }
  size_t to_slice = box.element_bytes, from_slice = box.element_bytes;
  for (int i = dimension + 1; i < box.dimensions; ++i) {
    to_slice *= box.to_dimensions[i];
    from_slice *= box.from_dimensions[i];
  }
  for (size_t i = 0; i < box.volume[dimension]; ++i)
    copy_dimension(to + (box.to_offsets[dimension] + i) * to_slice,
                   from + (box.from_offsets[dimension] + i) * from_slice, box, dimension + 1);
}

int device_copy_box(const DeviceBoxCopy& copy) {
  using Function = int(void*, const void*, size_t, int, const size_t*, const size_t*, const size_t*, const size_t*,
                       const size_t*, int, int);
  if (auto* next = next_definition<Function>("omp_target_memcpy_rect"))
    return next(copy.to, copy.from, copy.element_bytes, copy.dimensions, copy.volume, copy.to_offsets,
                copy.from_offsets, copy.to_dimensions, copy.from_dimensions, device_number(copy.to_device),
                device_number(copy.from_device));
  if (copy.to == nullptr && copy.from == nullptr) return INT_MAX;
  if (copy.to == nullptr || copy.from == nullptr || copy.dimensions < 1) return EINVAL;
  if (!is_host(copy.to_device) || !is_host(copy.from_device)) return EINVAL;
  copy_dimension(static_cast<char*>(copy.to), static_cast<const char*>(copy.from), copy, 0);
  return 0;
}

static void wait_for(Worker* worker, const DependenceList& list) {
  if (!list.empty()) wait_for_dependences(worker, list);
}

int device_copy_after(Worker* worker, const DependenceList& list, const DeviceCopy& copy) {
  if (copy.to == nullptr || copy.from == nullptr) return EINVAL;
  wait_for(worker, list);
  return device_copy(copy);
}

static bool is_empty(int dimensions, const size_t* shape) {
  return std::find(shape, shape + dimensions, size_t{0}) != shape + dimensions;
}

int device_copy_box_after(Worker* worker, const DependenceList& list, const DeviceBoxCopy& copy) {
  if (copy.to == nullptr && copy.from == nullptr) return INT_MAX;
  if (copy.to == nullptr || copy.from == nullptr || copy.element_bytes == 0 || copy.dimensions < 1 || !copy.volume ||
      !copy.to_offsets || !copy.from_offsets || !copy.to_dimensions || !copy.from_dimensions ||
      is_empty(copy.dimensions, copy.to_dimensions) || is_empty(copy.dimensions, copy.from_dimensions))
    return EINVAL;
  wait_for(worker, list);
  return device_copy_box(copy);
}

void* device_fill_after(Worker* worker, const DependenceList& list, void* to, int value, size_t length, int device) {
  wait_for(worker, list);
  return device_fill(to, value, length, device);
}

// ---- What memory a device has -------------------------------------------------------------------------------------

bool device_has(const void* address, int device) {
  if (address == nullptr) return false; // no storage, as libgomp and libomptarget have it
  using Function = int(const void*, int);
  if (auto* next = next_definition<Function>("omp_target_is_present")) return next(address, device_number(device));
  return is_host(device);
}

void* device_address_of(const void* address, int device) {
  using Function = void*(const void*, int);
  if (auto* next = of_devices<Function>("omp_get_mapped_ptr", device)) return next(address, device_number(device));
  return is_host(device) ? const_cast<void*>(address) : nullptr;
}

bool device_can_access(const void* address, size_t length, int device) {
  using Function = int(const void*, size_t, int);
  if (auto* next = of_devices<Function>("omp_target_is_accessible", device))
    return next(address, length, device_number(device));
  return is_host(device) && address != nullptr;
}

int device_associate(const void* host, const void* address, size_t size, size_t offset, int device) {
  using Function = int(const void*, const void*, size_t, size_t, int);
  auto* next = next_definition<Function>("omp_target_associate_ptr");
  return next != nullptr ? next(host, address, size, offset, device_number(device)) : EINVAL;
}

int device_disassociate(const void* address, int device) {
  auto* next = next_definition<int(const void*, int)>("omp_target_disassociate_ptr");
  return next != nullptr ? next(address, device_number(device)) : EINVAL;
}

void* device_function_of(void* function) {
  auto* next = of_devices<void*(void*)>("GOMP_target_map_indirect_ptr");
  return next != nullptr ? next(function) : function;
}

void* device_group_memory() {
  auto* next = next_definition<void*()>("ompx_get_dyn_cgroup_mem");
  return next != nullptr ? next() : nullptr;
}

} // namespace chomp
