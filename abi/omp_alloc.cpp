// Memory allocators: omp_alloc and its relatives, the __kmpc_ functions that compiled code calls for `allocate`
// clauses, and Intel's kmp_malloc family.
#include <stdlib.h>

#include "abi/abi.h"
#include "abi/omp_c_api.h"

using namespace chomp;
using namespace chomp::abi;

using Handle = omp_allocator_handle_t;
using Space = omp_memspace_handle_t;

// ---- The predefined handles, for compilers that see them as variables ---------------------------------------------

#define PREDEFINED(Type, name, value)                                                                                  \
  CHOMP_EXPORT const Type name;                                                                                        \
  const Type name = value;
PREDEFINED(Handle, omp_null_allocator, 0)
PREDEFINED(Handle, omp_default_mem_alloc, 1)
PREDEFINED(Handle, omp_large_cap_mem_alloc, 2)
PREDEFINED(Handle, omp_const_mem_alloc, 3)
PREDEFINED(Handle, omp_high_bw_mem_alloc, 4)
PREDEFINED(Handle, omp_low_lat_mem_alloc, 5)
PREDEFINED(Handle, omp_cgroup_mem_alloc, 6)
PREDEFINED(Handle, omp_pteam_mem_alloc, 7)
PREDEFINED(Handle, omp_thread_mem_alloc, 8)
PREDEFINED(Handle, omp_target_host_mem_alloc, kTargetHost)
PREDEFINED(Handle, omp_target_shared_mem_alloc, kTargetHost + 1)
PREDEFINED(Handle, omp_target_device_mem_alloc, kTargetDevice)
PREDEFINED(Space, omp_default_mem_space, 0)
PREDEFINED(Space, omp_large_cap_mem_space, 1)
PREDEFINED(Space, omp_const_mem_space, 2)
PREDEFINED(Space, omp_high_bw_mem_space, 3)
PREDEFINED(Space, omp_low_lat_mem_space, 4)
PREDEFINED(Space, omp_cgroup_mem_space, 5)
PREDEFINED(Space, omp_null_mem_space, 0)
PREDEFINED(Space, omp_target_host_mem_space, kTargetHost)
PREDEFINED(Space, omp_target_shared_mem_space, kTargetHost + 1)
PREDEFINED(Space, omp_target_device_mem_space, kTargetDevice)

// ---- The OpenMP API, and what Clang's code calls: the same, with the global thread number first -------------------

#define ROUTINE(Return, name, call, ...)                                                                               \
  CHOMP_EXPORT Return omp_##name(__VA_ARGS__) { return call; }                                                         \
  CHOMP_EXPORT Return __kmpc_##name(int __VA_OPT__(, ) __VA_ARGS__) { return call; }

ROUTINE(void*, alloc, allocator_allocate(0, size, allocator), size_t size, Handle allocator)
ROUTINE(void*, aligned_alloc, allocator_allocate(alignment, size, allocator), size_t alignment, size_t size,
        Handle allocator)
ROUTINE(void*, calloc, allocator_allocate_zeroed(0, count, size, allocator), size_t count, size_t size,
        Handle allocator)
ROUTINE(void*, realloc, allocator_reallocate(block, size, allocator, free_allocator), void* block, size_t size,
        Handle allocator, Handle free_allocator)
ROUTINE(void, free, allocator_release(block, allocator), void* block, Handle allocator)
ROUTINE(Handle, init_allocator, allocator_create(space, trait_count, traits), Space space, int trait_count,
        const omp_alloctrait_t* traits)
ROUTINE(void, destroy_allocator, allocator_destroy(allocator), Handle allocator)
ROUTINE(void, set_default_allocator, allocator_set_default(allocator), Handle allocator)
ROUTINE(Handle, get_default_allocator, allocator_default())

CHOMP_EXPORT void* omp_aligned_calloc(size_t alignment, size_t count, size_t size, Handle allocator) {
  return allocator_allocate_zeroed(alignment, count, size, allocator);
}

CHOMP_EXPORT Handle omp_init_allocator_(const Space* space, const int* trait_count, const omp_alloctrait_t* traits) {
  return allocator_create(*space, *trait_count, traits);
}
CHOMP_EXPORT Handle omp_init_allocator_8_(const Space* space, const int64_t* trait_count,
                                          const omp_alloctrait_t* traits) {
  return allocator_create(*space, saturated(*trait_count), traits);
}
CHOMP_EXPORT void omp_destroy_allocator_(const Handle* allocator) { allocator_destroy(*allocator); }
CHOMP_EXPORT void omp_set_default_allocator_(const Handle* allocator) { allocator_set_default(*allocator); }
CHOMP_EXPORT Handle omp_get_default_allocator_(void) { return allocator_default(); }

// ---- What GCC's code calls for allocate clauses: it does not look for null ----------------------------------------

CHOMP_EXPORT void* GOMP_alloc(size_t alignment, size_t size, Handle allocator) {
  return allocator_allocate_or_end(alignment, size, allocator);
}

CHOMP_EXPORT void GOMP_free(void* block, Handle allocator) { allocator_release(block, allocator); }

// ---- Intel's malloc family: three names for each function. kmp_free takes blocks of this family only. -------------

#define MALLOC_FAMILY(prefix)                                                                                          \
  CHOMP_EXPORT void* prefix##_malloc(size_t size) { return malloc(size); }                                             \
  CHOMP_EXPORT void* prefix##_aligned_malloc(size_t size, size_t alignment) {                                          \
    return libc_aligned_allocate(size, alignment);                                                                     \
  }                                                                                                                    \
  CHOMP_EXPORT void* prefix##_calloc(size_t count, size_t size) { return calloc(count, size); }                        \
  CHOMP_EXPORT void* prefix##_realloc(void* block, size_t size) { return libc_reallocate(block, size); }               \
  CHOMP_EXPORT void prefix##_free(void* block) { free(block); }
MALLOC_FAMILY(kmp)
MALLOC_FAMILY(kmpc)

CHOMP_EXPORT void* kmp_malloc_(const size_t* size) { return malloc(*size); }
CHOMP_EXPORT void* kmp_aligned_malloc_(const size_t* size, const size_t* alignment) {
  return libc_aligned_allocate(*size, *alignment);
}
CHOMP_EXPORT void* kmp_calloc_(const size_t* count, const size_t* size) { return calloc(*count, *size); }
CHOMP_EXPORT void* kmp_realloc_(void* const* block, const size_t* size) { return libc_reallocate(*block, *size); }
CHOMP_EXPORT void kmp_free_(void* const* block) { free(*block); }
