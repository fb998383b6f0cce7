// Routines about devices: memory, copies, names, what is mapped. libomp leaves them to libomptarget.
#include <algorithm>
#include <string.h>

#include "abi/abi.h"
#include "abi/gomp_depend.h"
#include "abi/omp_c_api.h"
#include "runtime/config/config.h"
#include "runtime/core/worker.h"
#include "runtime/devices/device_memory.h"
#include "runtime/devices/device_routines.h"
#include "runtime/devices/interop.h"
#include "runtime/devices/offload_library.h"
#include "runtime/memory/devices.h"

using namespace chomp;
using namespace chomp::abi;

namespace {

/// What an omp_depend_t points to (Clang's code for `depobj`): items. One more before them holds their number.
using ClangDepobj = Dependence*;

template <class Use> auto with_depobjs(int count, const ClangDepobj* objects, Use use) {
  int items = 0;
  for (int i = 0; i < count; ++i)
    if (objects[i] != nullptr) items += static_cast<int>(objects[i][-1].address);
  auto decode = [&](Dependence* item) {
    for (int i = 0; i < count; ++i)
      if (objects[i] != nullptr) item = std::copy_n(objects[i], objects[i][-1].address, item);
  };
  Worker* worker = this_worker();
  return with_items(worker, items, decode, [&](const DependenceList& list) { return use(worker, list); });
}

template <class Use> auto with_depobjs(int count, const GccDepobj* objects, Use use) {
  Worker* worker = this_worker();
  return with_objects(worker, count, objects, [&](const DependenceList& list) { return use(worker, list); });
}

} // namespace

// ---- Memory of devices (OpenMP 5.2, 18.8) ---------------------------------------------------------------------------

CHOMP_EXPORT void* omp_target_alloc(size_t size, int device) { return device_allocate(size, device); }
CHOMP_EXPORT void omp_target_free(void* memory, int device) { device_free(memory, device); }
CHOMP_EXPORT int omp_target_is_present(const void* address, int device) { return device_has(address, device); }
CHOMP_EXPORT void* omp_get_mapped_ptr(const void* address, int device) { return device_address_of(address, device); }
CHOMP_EXPORT int omp_target_is_accessible(const void* address, size_t length, int device) {
  return device_can_access(address, length, device);
}
CHOMP_EXPORT int omp_target_associate_ptr(const void* host, const void* address, size_t size, size_t offset,
                                          int device) {
  return device_associate(host, address, size, offset, device);
}
CHOMP_EXPORT int omp_target_disassociate_ptr(const void* address, int device) {
  return device_disassociate(address, device);
}
CHOMP_EXPORT void* GOMP_target_map_indirect_ptr(void* function) { return device_function_of(function); }

// ---- Copies (18.8.5 to 18.8.8; 6.0, 25.7) ---------------------------------------------------------------------------
// The asynchronous forms exist twice, since omp_depend_t depends on the compiler: as @@VERSION, and in the nodes of
// libgomp for code compiled by GCC.

// A copy's parameters but for its depend objects, as in LLVM's and GCC's <omp.h>, and the copy that they describe.
#define COPY_PARAMETERS                                                                                                \
  void *to, const void *from, size_t length, size_t to_offset, size_t from_offset, int to_device, int from_device
#define COPY {to, from, length, to_offset, from_offset, to_device, from_device}
#define BOX_PARAMETERS                                                                                                 \
  void *to, const void *from, size_t element_bytes, int dimensions, const size_t *volume, const size_t *to_offsets,    \
      const size_t *from_offsets, const size_t *to_dimensions, const size_t *from_dimensions, int to_device,           \
      int from_device
#define BOX                                                                                                            \
  {to,           from,          element_bytes,   dimensions, volume,     to_offsets,                                   \
   from_offsets, to_dimensions, from_dimensions, to_device,  from_device}
#define FILL_PARAMETERS void *to, int value, size_t length, int device

CHOMP_EXPORT int omp_target_memcpy(COPY_PARAMETERS) { return device_copy(COPY); }
CHOMP_EXPORT int omp_target_memcpy_rect(BOX_PARAMETERS) { return device_copy_box(BOX); }
CHOMP_EXPORT void* omp_target_memset(FILL_PARAMETERS) { return device_fill(to, value, length, device); }

#define ASYNCHRONOUS(linkage, prefix, Depobj)                                                                          \
  linkage int prefix##omp_target_memcpy_async(COPY_PARAMETERS, int count, const Depobj* objects) {                     \
    return with_depobjs(count, objects, [&](auto... after) { return device_copy_after(after..., COPY); });             \
  }                                                                                                                    \
  linkage int prefix##omp_target_memcpy_rect_async(BOX_PARAMETERS, int count, const Depobj* objects) {                 \
    return with_depobjs(count, objects, [&](auto... after) { return device_copy_box_after(after..., BOX); });          \
  }                                                                                                                    \
  linkage void* prefix##omp_target_memset_async(FILL_PARAMETERS, int count, const Depobj* objects) {                   \
    return with_depobjs(count, objects,                                                                                \
                        [&](auto... after) { return device_fill_after(after..., to, value, length, device); });        \
  }
ASYNCHRONOUS(CHOMP_EXPORT, , ClangDepobj)
ASYNCHRONOUS(extern "C", gcc_, GccDepobj)

// ---- Numbers and names (OpenMP 5.2, 18.7; 6.0, 24.7 and 24.8) -------------------------------------------------------
// The host's number is one more than the last device's. Only the host runs this code.

CHOMP_EXPORT int omp_get_num_devices(void) { return device_count(); }
CHOMP_EXPORT int omp_get_initial_device(void) { return device_count(); }
CHOMP_EXPORT int omp_get_device_num(void) { return device_count(); }
CHOMP_EXPORT int omp_is_initial_device(void) { return 1; }

CHOMP_EXPORT int omp_get_num_devices_(void) { return omp_get_num_devices(); }
CHOMP_EXPORT int omp_get_initial_device_(void) { return omp_get_initial_device(); }
CHOMP_EXPORT int omp_get_device_num_(void) { return omp_get_device_num(); }
CHOMP_EXPORT int omp_is_initial_device_(void) { return omp_is_initial_device(); }

CHOMP_EXPORT const char* omp_get_uid_from_device(int device) { return device_name(device); }
CHOMP_EXPORT int omp_get_device_from_uid(const char* uid) { return device_of_name(uid, kInvalidDeviceLlvm); }
extern "C" int gcc_omp_get_device_from_uid(const char* uid) { return device_of_name(uid, kInvalidDevice); }

/// For libomptarget: OMP_TARGET_OFFLOAD as 0 disabled, 1 default, 2 mandatory.
CHOMP_EXPORT int __kmpc_get_target_offload(void) {
  this_worker();
  return static_cast<int>(config.target_offload);
}

// ---- Teams on a device (6.0, 24.11 to 24.14) ------------------------------------------------------------------------

CHOMP_EXPORT int omp_get_device_num_teams(int device) {
  return is_host(device) ? omp_get_max_teams() : device_setting("omp_get_device_num_teams", device);
}
CHOMP_EXPORT void omp_set_device_num_teams(int count, int device) {
  is_host(device) ? omp_set_num_teams(count) : device_change_setting("omp_set_device_num_teams", count, device);
}
CHOMP_EXPORT int omp_get_device_teams_thread_limit(int device) {
  return is_host(device) ? omp_get_teams_thread_limit() : device_setting("omp_get_device_teams_thread_limit", device);
}
CHOMP_EXPORT void omp_set_device_teams_thread_limit(int limit, int device) {
  is_host(device) ? omp_set_teams_thread_limit(limit)
                  : device_change_setting("omp_set_device_teams_thread_limit", limit, device);
}

// ---- Memory of the groups of a device kernel (LLVM 23). The host has none for any group (`access`). -----------------

CHOMP_EXPORT void* omp_get_dyn_gprivate_ptr(size_t, int) { return nullptr; }
CHOMP_EXPORT void* omp_get_dyn_gprivate_nofb_ptr(size_t, int) { return nullptr; }
CHOMP_EXPORT size_t omp_get_dyn_gprivate_size(int) { return 0; }
CHOMP_EXPORT omp_memspace_handle_t omp_get_dyn_gprivate_memspace(int) { return 0; } // omp_null_mem_space
CHOMP_EXPORT void* ompx_get_dyn_cgroup_mem(void) { return device_group_memory(); }

// ---- Fortran: pointers by value, as c_ptr is passed; a string's length follows ------------------------------------

CHOMP_EXPORT int omp_target_memcpy_async_(void* to, const void* from, const size_t* length, const size_t* to_offset,
                                          const size_t* from_offset, const int* to_device, const int* from_device,
                                          const int* object_count, const ClangDepobj* objects) {
  return omp_target_memcpy_async(to, from, *length, *to_offset, *from_offset, *to_device, *from_device, *object_count,
                                 objects);
}

CHOMP_EXPORT int omp_target_memcpy_rect_async_(void* to, const void* from, const size_t* element_size,
                                               const int* dimensions, const size_t* volume, const size_t* to_offsets,
                                               const size_t* from_offsets, const size_t* to_shape,
                                               const size_t* from_shape, const int* to_device, const int* from_device,
                                               const int* object_count, const ClangDepobj* objects) {
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

// ---- Names of LLVM's offload library (names.def) --------------------------------------------------------------------

#define FOR_OFFLOAD_LIBRARY extern "C" __attribute__((visibility("hidden"), used))

/// __tgt_register_lib, before main().
FOR_OFFLOAD_LIBRARY void chomp_register_target_regions(void* regions) { register_target_regions(regions); }

/// __tgt_interop_init.
FOR_OFFLOAD_LIBRARY void chomp_interop_init(void* location, int32_t gtid, Interop* object, int32_t type, int32_t device,
                                            int32_t dependence_count, void* dependences, int32_t nowait) {
  interop_init({location, gtid, object, type, device, dependence_count, dependences, nowait});
}
