// Where libmemkind is installed and finds high-bandwidth memory, the allocators of that space take theirs from it, and
// give it back; other allocators do not. Here the library is a stand-in that knows high-bandwidth memory only.
// RUN: mkdir -p %t.dir && %clang -shared -fPIC -DSTAND_IN %s -o %t.dir/libmemkind.so.0
// RUN: %clang-openmp %s -o %t && env LD_LIBRARY_PATH=%lib:%t.dir %t
// UNSUPPORTED: sanitizer-address, sanitizer-thread
#ifdef STAND_IN
#include <stdlib.h>

static int high_bandwidth, large;
void* MEMKIND_HBW_PREFERRED = &high_bandwidth;
void* MEMKIND_DAX_KMEM_PREFERRED = &large;
int memkind_stand_in_blocks;

int memkind_check_available(void* kind) { return kind == &high_bandwidth ? 0 : -1; }
void* memkind_malloc(void* kind, size_t bytes) {
  if (kind != &high_bandwidth) abort();
  memkind_stand_in_blocks++;
  return malloc(bytes);
}
void memkind_free(void* kind, void* block) {
  if (kind != &high_bandwidth) abort();
  memkind_stand_in_blocks--;
  free(block);
}
#else
#include "support/check.h"
#include <dlfcn.h>
#include <omp.h>

omp_memspace_handle_t omp_get_device_memspace(int, omp_memspace_handle_t); // an older omp.h lacks these two
omp_allocator_handle_t omp_get_device_allocator(int, omp_memspace_handle_t);
#pragma weak omp_get_device_memspace // an older libomp to link with, too
#pragma weak omp_get_device_allocator

int main(void) {
  int host = omp_get_initial_device();
  CHECK(omp_get_device_memspace && omp_get_device_memspace(host, omp_high_bw_mem_space) == omp_high_bw_mem_space);
  CHECK(omp_get_device_allocator(host, omp_high_bw_mem_space) == omp_high_bw_mem_alloc);
  omp_alloctrait_t aligned = {omp_atk_alignment, 128};
  omp_allocator_handle_t made = omp_init_allocator(omp_high_bw_mem_space, 1, &aligned);
  CHECK(made != omp_null_allocator);
  void* plain = omp_alloc(100, omp_default_mem_alloc);
  void* large = omp_alloc(100, omp_large_cap_mem_alloc); // there is no such memory: served all the same
  void* fast = omp_alloc(100, omp_high_bw_mem_alloc);
  CHECK(plain && large && fast);
  void* library = dlopen("libmemkind.so.0", RTLD_NOW | RTLD_NOLOAD);
  CHECK(library != NULL);
  const int* blocks = dlsym(library, "memkind_stand_in_blocks");
  CHECK_EQ(*blocks, 1);
  void* more = omp_alloc(1000, made);
  CHECK((unsigned long)more % 128 == 0);
  CHECK_EQ(*blocks, 2);
  more = omp_realloc(more, 2000, made, made);
  CHECK_EQ(*blocks, 2);
  omp_free(more, made);
  omp_free(fast, omp_null_allocator);
  CHECK_EQ(*blocks, 0);
  omp_destroy_allocator(made);
  omp_free(plain, omp_null_allocator);
  omp_free(large, omp_null_allocator);
  return 0;
}
#endif
