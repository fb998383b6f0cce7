// Where libmemkind is installed and finds high-bandwidth memory, the allocators of that space take theirs from it, and
// give it back; other allocators do not. Once the library is a stand-in that knows high-bandwidth memory only, and
// counts blocks; once the real one, which is told that there is such memory.
// RUN: mkdir -p %t.dir && %clang -shared -fPIC -DSTAND_IN %s -o %t.dir/libmemkind.so.0
// RUN: %clang-openmp %s -o %t && env LD_LIBRARY_PATH=%lib:%t.dir %t
// RUN: %if memkind %{ env LD_LIBRARY_PATH=%lib MEMKIND_HBW_NODES=0 %t real %}
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

static void* (*kind_of)(void*); // of the real library, which knows its own blocks alone
static void* const* high_bandwidth;
static const int* blocks; // the stand-in's

static void find_library(int real) {
  void* library = dlopen("libmemkind.so.0", RTLD_NOW | RTLD_NOLOAD);
  CHECK(library != NULL);
  blocks = dlsym(library, "memkind_stand_in_blocks");
  CHECK((blocks == NULL) == real);
  *(void**)&kind_of = dlsym(library, "memkind_detect_kind");
  high_bandwidth = dlsym(library, "MEMKIND_HBW_PREFERRED");
}

// The stand-in's blocks are so many now; the real library's are of that kind.
static void has_blocks(int count, void* newest) {
  if (blocks != NULL)
    CHECK_EQ(*blocks, count);
  else if (newest != NULL)
    CHECK(kind_of(newest) == *high_bandwidth);
}

int main(int argc, char** argv) {
  (void)argv;
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
  find_library(argc > 1);
  has_blocks(1, fast);
  void* more = omp_alloc(1000, made);
  CHECK((unsigned long)more % 128 == 0);
  has_blocks(2, more);
  more = omp_realloc(more, 2000, made, made);
  has_blocks(2, more);
  omp_free(more, made);
  omp_free(fast, omp_null_allocator);
  has_blocks(0, NULL);
  omp_destroy_allocator(made);
  omp_free(plain, omp_null_allocator);
  omp_free(large, omp_null_allocator);
  return 0;
}
#endif
