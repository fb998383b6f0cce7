// Device routines that libiomp5 exports and libomp leaves to libomptarget: asynchronous copies, names of devices. An
// offload library in the process answers; without one the host is the only device. An asynchronous copy then happens
// inside the call, after the tasks it depends on, so that whatever depends on it comes later.
#include <errno.h>
#include <limits.h>
#include <string.h>

#include "abi/abi.h"
#include "abi/next_definition.h"
#include "abi/omp_c_api.h"
#include "runtime/core/worker.h"
#include "runtime/dependences/task_deps.h"

using namespace chomp::abi;

namespace {

constexpr int kInvalidDevice = -2;    // omp_invalid_device
constexpr const char* kHost = "HOST"; // libomptarget's name for it

/// What an omp_depend_t points to (Clang's code for `depobj`): items, before them one that holds their number.
using DependenceObject = chomp::Dependence*;

bool is_host(int device) { return device == -1 || device == omp_get_initial_device(); }

void wait_for_objects(int count, const DependenceObject* objects) {
  for (int i = 0; i < count; ++i) {
    const chomp::Dependence* items = objects[i];
    if (items == nullptr) continue;
    const int item_count = static_cast<int>(items[-1].address);
    chomp::wait_for_dependences(chomp::this_worker(), {{{items, item_count}, {nullptr, 0}}});
  }
}

/// A box of `dimensions` dimensions, cut out of arrays; outermost dimension first, everything in elements.
struct Box {
  size_t element_size;
  int dimensions;
  const size_t *volume, *to_offsets, *from_offsets, *to_shape, *from_shape;
};

/// `to_stride`, `from_stride`: bytes of a whole array of the remaining dimensions.
void copy_box(char* to, const char* from, const Box& box, int dimension, size_t to_stride, size_t from_stride) {
  if (dimension == box.dimensions) {
    memcpy(to, from, box.element_size);
    return;
  }
  to_stride /= box.to_shape[dimension];
  from_stride /= box.from_shape[dimension];
  to += box.to_offsets[dimension] * to_stride;
  from += box.from_offsets[dimension] * from_stride;
  if (dimension == box.dimensions - 1) {
    memcpy(to, from, box.volume[dimension] * box.element_size);
    return;
  }
  for (size_t i = 0; i < box.volume[dimension]; ++i)
    copy_box(to + i * to_stride, from + i * from_stride, box, dimension + 1, to_stride, from_stride);
}

/// Bytes of an array; 0 if it is empty.
size_t bytes_of(size_t element_size, int dimensions, const size_t* shape) {
  size_t bytes = element_size;
  for (int i = 0; i < dimensions; ++i) bytes *= shape[i];
  return bytes;
}

} // namespace

// ---- Copies (OpenMP 5.2, 18.8.7 and 18.8.8): 0, or an errno value -------------------------------------------------

CHOMP_EXPORT int omp_target_memcpy_async(void* to, const void* from, size_t length, size_t to_offset,
                                         size_t from_offset, int to_device, int from_device, int object_count,
                                         const DependenceObject* objects) {
  using Function = int(void*, const void*, size_t, size_t, size_t, int, int, int, const DependenceObject*);
  if (auto* next = next_definition<Function>("omp_target_memcpy_async"))
    return next(to, from, length, to_offset, from_offset, to_device, from_device, object_count, objects);
  if (!is_host(to_device) || !is_host(from_device) || to == nullptr || from == nullptr) return EINVAL;
  wait_for_objects(object_count, objects);
  memmove(static_cast<char*>(to) + to_offset, static_cast<const char*>(from) + from_offset, length);
  return 0;
}

CHOMP_EXPORT int omp_target_memcpy_rect_async(void* to, const void* from, size_t element_size, int dimensions,
                                              const size_t* volume, const size_t* to_offsets,
                                              const size_t* from_offsets, const size_t* to_shape,
                                              const size_t* from_shape, int to_device, int from_device,
                                              int object_count, const DependenceObject* objects) {
  using Function = int(void*, const void*, size_t, int, const size_t*, const size_t*, const size_t*, const size_t*,
                       const size_t*, int, int, int, const DependenceObject*);
  if (auto* next = next_definition<Function>("omp_target_memcpy_rect_async"))
    return next(to, from, element_size, dimensions, volume, to_offsets, from_offsets, to_shape, from_shape, to_device,
                from_device, object_count, objects);
  if (to == nullptr && from == nullptr) return INT_MAX; // the question how many dimensions may be asked for
  if (!is_host(to_device) || !is_host(from_device) || to == nullptr || from == nullptr || element_size == 0 ||
      dimensions < 1 || !volume || !to_offsets || !from_offsets || !to_shape || !from_shape)
    return EINVAL;
  const size_t to_bytes = bytes_of(element_size, dimensions, to_shape);
  const size_t from_bytes = bytes_of(element_size, dimensions, from_shape);
  if (to_bytes == 0 || from_bytes == 0) return EINVAL;
  wait_for_objects(object_count, objects);
  const Box box = {element_size, dimensions, volume, to_offsets, from_offsets, to_shape, from_shape};
  copy_box(static_cast<char*>(to), static_cast<const char*>(from), box, 0, to_bytes, from_bytes);
  return 0;
}

// ---- Names of devices (OpenMP 6.0, 24.7 and 24.8) -----------------------------------------------------------------

CHOMP_EXPORT const char* omp_get_uid_from_device(int device) {
  if (auto* next = next_definition<const char*(int)>("omp_get_uid_from_device")) return next(device);
  return is_host(device) ? kHost : nullptr;
}

CHOMP_EXPORT int omp_get_device_from_uid(const char* uid) {
  if (auto* next = next_definition<int(const char*)>("omp_get_device_from_uid")) return next(uid);
  return uid != nullptr && strcmp(uid, kHost) == 0 ? omp_get_initial_device() : kInvalidDevice;
}

/// The memory that a device kernel was launched with; the host has none.
CHOMP_EXPORT void* ompx_get_dyn_cgroup_mem(void) {
  auto* next = next_definition<void*()>("ompx_get_dyn_cgroup_mem");
  return next != nullptr ? next() : nullptr;
}

// ---- Fortran: pointers by value, as c_ptr is passed; a string's length follows ------------------------------------

CHOMP_EXPORT int omp_target_memcpy_async_(void* to, const void* from, const size_t* length, const size_t* to_offset,
                                          const size_t* from_offset, const int* to_device, const int* from_device,
                                          const int* object_count, const DependenceObject* objects) {
  return omp_target_memcpy_async(to, from, *length, *to_offset, *from_offset, *to_device, *from_device, *object_count,
                                 objects);
}

CHOMP_EXPORT int omp_target_memcpy_rect_async_(void* to, const void* from, const size_t* element_size,
                                               const int* dimensions, const size_t* volume, const size_t* to_offsets,
                                               const size_t* from_offsets, const size_t* to_shape,
                                               const size_t* from_shape, const int* to_device, const int* from_device,
                                               const int* object_count, const DependenceObject* objects) {
  return omp_target_memcpy_rect_async(to, from, *element_size, *dimensions, volume, to_offsets, from_offsets, to_shape,
                                      from_shape, *to_device, *from_device, *object_count, objects);
}

CHOMP_EXPORT int omp_get_device_from_uid_(const char* uid, size_t length) {
  char name[256];
  while (length > 0 && uid[length - 1] == ' ') --length; // Fortran pads with blanks
  if (length >= sizeof name) return kInvalidDevice;
  memcpy(name, uid, length);
  name[length] = 0;
  return omp_get_device_from_uid(name);
}
