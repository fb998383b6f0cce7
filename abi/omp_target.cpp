// Device routines that libiomp5 and newer versions of libgomp export, and that libomp leaves to libomptarget:
// asynchronous copies, names of devices, what is mapped. An offload library in the process answers; without one the
// host is the only device. An asynchronous copy happens inside the call, after the tasks that it depends on.
#include <errno.h>
#include <limits.h>
#include <string.h>

#include "abi/abi.h"
#include "abi/devices.h"
#include "abi/gomp_depend.h"
#include "abi/omp_c_api.h"
#include "runtime/core/worker.h"
#include "runtime/dependences/task_deps.h"

using namespace chomp;
using namespace chomp::abi;

namespace {

constexpr const char* kHost = "HOST"; // libomptarget's name for it

/// What an omp_depend_t points to (Clang's code for `depobj`): items. One more before them holds their number.
using DependenceObject = chomp::Dependence*;

void wait_for_objects(int count, const DependenceObject* objects) {
  for (int i = 0; i < count; ++i) {
    const chomp::Dependence* items = objects[i];
    if (items == nullptr) continue;
    const int item_count = static_cast<int>(items[-1].address);
    chomp::wait_for_dependences(chomp::this_worker(), {{{items, item_count}, {nullptr, 0}}});
  }
}

void wait_for_gcc_objects(int count, const GccDepobj* objects) {
  chomp::Worker* worker = chomp::this_worker();
  with_objects(worker, count, objects, [&](const chomp::DependenceList& list) { wait_for_dependences(worker, list); });
}

} // namespace

// ---- Copies (OpenMP 5.2, 18.8.7 and 18.8.8; 6.0, 25.7): 0, or an errno value ----------------------------------------
// Each exists twice, since omp_depend_t depends on the compiler: as @@VERSION, and in the nodes of libgomp for code
// compiled by GCC. The asynchronous form is never forwarded, since another library would not know our tasks.

namespace {

// A copy's parameters but for its depend objects, as in LLVM's and GCC's <omp.h>.
#define COPY_PARAMETERS                                                                                                \
  void *to, const void *from, size_t length, size_t to_offset, size_t from_offset, int to_device, int from_device
#define RECT_PARAMETERS                                                                                                \
  void *to, const void *from, size_t element_size, int dimensions, const size_t *volume, const size_t *to_offsets,     \
      const size_t *from_offsets, const size_t *to_shape, const size_t *from_shape, int to_device, int from_device

/// wait() waits for the tasks that the copy depends on.
template <class Wait> int copy_after(Wait wait, COPY_PARAMETERS) {
  if (to == nullptr || from == nullptr) return EINVAL;
  wait();
  return omp_target_memcpy(to, from, length, to_offset, from_offset, device_number(to_device),
                           device_number(from_device));
}

bool is_empty(int dimensions, const size_t* shape) {
  for (int i = 0; i < dimensions; ++i)
    if (shape[i] == 0) return true;
  return false;
}

template <class Wait> int copy_box_after(Wait wait, RECT_PARAMETERS) {
  if (to == nullptr && from == nullptr) return INT_MAX; // the program asks how many dimensions are supported
  if (to == nullptr || from == nullptr || element_size == 0 || dimensions < 1 || !volume || !to_offsets ||
      !from_offsets || !to_shape || !from_shape || is_empty(dimensions, to_shape) || is_empty(dimensions, from_shape))
    return EINVAL;
  wait();
  return omp_target_memcpy_rect(to, from, element_size, dimensions, volume, to_offsets, from_offsets, to_shape,
                                from_shape, device_number(to_device), device_number(from_device));
}

} // namespace

CHOMP_EXPORT int omp_target_memcpy_async(COPY_PARAMETERS, int count, const DependenceObject* objects) {
  return copy_after([&] { wait_for_objects(count, objects); }, to, from, length, to_offset, from_offset, to_device,
                    from_device);
}

extern "C" int gcc_omp_target_memcpy_async(COPY_PARAMETERS, int count, const GccDepobj* objects) {
  return copy_after([&] { wait_for_gcc_objects(count, objects); }, to, from, length, to_offset, from_offset, to_device,
                    from_device);
}

CHOMP_EXPORT int omp_target_memcpy_rect_async(RECT_PARAMETERS, int count, const DependenceObject* objects) {
  return copy_box_after([&] { wait_for_objects(count, objects); }, to, from, element_size, dimensions, volume,
                        to_offsets, from_offsets, to_shape, from_shape, to_device, from_device);
}

extern "C" int gcc_omp_target_memcpy_rect_async(RECT_PARAMETERS, int count, const GccDepobj* objects) {
  return copy_box_after([&] { wait_for_gcc_objects(count, objects); }, to, from, element_size, dimensions, volume,
                        to_offsets, from_offsets, to_shape, from_shape, to_device, from_device);
}

CHOMP_EXPORT void* omp_target_memset(void* to, int value, size_t length, int device) {
  using Function = void*(void*, int, size_t, int);
  if (auto* next = of_devices<Function>("omp_target_memset", device))
    return next(to, value, length, device_number(device));
  return is_host(device) && to != nullptr ? memset(to, value, length) : to;
}

CHOMP_EXPORT void* omp_target_memset_async(void* to, int value, size_t length, int device, int count,
                                           const DependenceObject* objects) {
  wait_for_objects(count, objects);
  return omp_target_memset(to, value, length, device_number(device));
}

extern "C" void* gcc_omp_target_memset_async(void* to, int value, size_t length, int device, int count,
                                             const GccDepobj* objects) {
  wait_for_gcc_objects(count, objects);
  return omp_target_memset(to, value, length, device_number(device));
}

// ---- What memory a device has (OpenMP 5.2, 18.8.3 and 18.8.4) -------------------------------------------------------

CHOMP_EXPORT void* omp_get_mapped_ptr(const void* address, int device) {
  using Function = void*(const void*, int);
  if (auto* next = of_devices<Function>("omp_get_mapped_ptr", device)) return next(address, device_number(device));
  return is_host(device) ? const_cast<void*>(address) : nullptr;
}

CHOMP_EXPORT int omp_target_is_accessible(const void* address, size_t length, int device) {
  using Function = int(const void*, size_t, int);
  if (auto* next = of_devices<Function>("omp_target_is_accessible", device))
    return next(address, length, device_number(device));
  return is_host(device) && address != nullptr;
}

/// Returns the device's function for a pointer to a function of the host; on the host, that function itself.
CHOMP_EXPORT void* GOMP_target_map_indirect_ptr(void* function) {
  auto* next = of_devices<void*(void*)>("GOMP_target_map_indirect_ptr");
  return next != nullptr ? next(function) : function;
}

// ---- Names of devices (OpenMP 6.0, 24.7 and 24.8) -----------------------------------------------------------------

CHOMP_EXPORT const char* omp_get_uid_from_device(int device) {
  using Function = const char*(int);
  if (auto* next = of_devices<Function>("omp_get_uid_from_device", device)) return next(device_number(device));
  return is_host(device) ? kHost : nullptr;
}

CHOMP_EXPORT int omp_get_device_from_uid(const char* uid) {
  if (uid != nullptr && strcmp(uid, kHost) == 0) return omp_get_initial_device();
  if (auto* next = of_devices<int(const char*)>("omp_get_device_from_uid")) return next(uid);
  return kInvalidDeviceLlvm;
}

extern "C" int gcc_omp_get_device_from_uid(const char* uid) {
  const int device = omp_get_device_from_uid(uid);
  return device < 0 ? kInvalidDevice : device;
}

// Memory of the groups of a device kernel (LLVM 23). The host has none for any group (`access`).
CHOMP_EXPORT void* omp_get_dyn_gprivate_ptr(size_t, int) { return nullptr; }
CHOMP_EXPORT void* omp_get_dyn_gprivate_nofb_ptr(size_t, int) { return nullptr; }
CHOMP_EXPORT size_t omp_get_dyn_gprivate_size(int) { return 0; }
CHOMP_EXPORT omp_memspace_handle_t omp_get_dyn_gprivate_memspace(int) { return 0; } // omp_null_mem_space

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
  if (length >= sizeof name) return kInvalidDeviceLlvm;
  memcpy(name, uid, length);
  name[length] = 0;
  return omp_get_device_from_uid(name);
}

// For gfortran: the first two arguments return the address and the length of a text; numbers are values.

CHOMP_EXPORT void omp_get_uid_from_device_(const char** text, size_t* length, int device) {
  *text = omp_get_uid_from_device(device);
  *length = *text != nullptr ? strlen(*text) : 0;
}

CHOMP_EXPORT void omp_get_uid_from_device_8_(const char** text, size_t* length, int64_t device) {
  omp_get_uid_from_device_(text, length, saturated(device));
}
