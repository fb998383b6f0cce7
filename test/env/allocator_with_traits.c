// OMP_ALLOCATOR names a memory space with traits: the first default allocator has them, and OMP_DISPLAY_ENV shows them.
// A space alone names its predefined allocator, as in libgomp. A trait, or a value of one, that makes no sense gives a
// warning and the default.
// RUN: %clang-openmp %s -o %t
// RUN: env OMP_ALLOCATOR=omp_default_mem_space:alignment=512,pool_size=100000,fallback=null_fb OMP_DISPLAY_ENV=true %for-threads %t traits 2>&1 | grep "OMP_ALLOCATOR='omp_default_mem_space:alignment=512,pool_size=100000,fallback=null_fb'"
// RUN: env "OMP_ALLOCATOR= OMP_LARGE_CAP_MEM_SPACE : pinned = false , sync_hint=private,fallback=allocator_fb,fb_data=omp_const_mem_alloc" %for-threads %t plain
// RUN: env OMP_ALLOCATOR=omp_default_mem_space:pinned=true OMP_DISPLAY_ENV=true %for-threads %t plain 2>&1 | grep "OMP_ALLOCATOR='omp_default_mem_space:pinned=true'"
// RUN: env OMP_ALLOCATOR=omp_low_lat_mem_space OMP_DISPLAY_ENV=true %for-threads %t 5 2>&1 | grep "OMP_ALLOCATOR='omp_low_lat_mem_alloc'"
// RUN: env OMP_ALLOCATOR=omp_large_cap_mem_space %for-threads %t 2 && env OMP_ALLOCATOR=omp_default_mem_space %for-threads %t 1
// RUN: env OMP_ALLOCATOR=omp_default_mem_space:access=all,partition=nearest,sync_hint=contended %chomp-run %t plain 2>&1 | not grep invalid
// RUN: env OMP_ALLOCATOR=omp_default_mem_space:access=none %chomp-run %t default 2>&1 | grep "is an invalid value"
// RUN: env OMP_ALLOCATOR=omp_default_mem_space:partition=all %chomp-run %t default 2>&1 | grep "is an invalid value"
// RUN: env OMP_ALLOCATOR=omp_default_mem_space:alignment=48 %chomp-run %t default 2>&1 | grep "OMP_ALLOCATOR: .omp_default_mem_space:alignment=48. is an invalid value"
// RUN: env OMP_ALLOCATOR=omp_default_mem_space:algnment=64 %chomp-run %t default 2>&1 | grep "is an invalid value"
// RUN: env OMP_ALLOCATOR=omp_default_mem_space:fallback=allocator_fb %chomp-run %t default 2>&1 | grep "is an invalid value"
// RUN: env OMP_ALLOCATOR=omp_no_mem_space %chomp-run %t default 2>&1 | grep "is an invalid value"
#include "support/check.h"
#include <omp.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int main(int argc, char** argv) {
  omp_allocator_handle_t first = omp_get_default_allocator();
  int by_default = strcmp(argv[1], "default") == 0, with_traits = strcmp(argv[1], "traits") == 0;
  int predefined = by_default ? omp_default_mem_alloc : atoi(argv[1]);
  CHECK(predefined != 0 ? first == (omp_allocator_handle_t)predefined : first > (omp_allocator_handle_t)1024);
#pragma omp parallel
  {
    CHECK(omp_get_default_allocator() == first); // one, for all threads
    char* block = omp_alloc(100, omp_null_allocator);
    CHECK(block != 0);
    if (with_traits) CHECK_EQ((uintptr_t)block % 512, 0);
    omp_free(block, omp_null_allocator);
  }
  void* large = omp_alloc(200000, omp_null_allocator);
  CHECK_EQ(large == 0, with_traits); // more than the pool has
  omp_free(large, omp_null_allocator);
  omp_set_default_allocator(omp_const_mem_alloc);
  CHECK(omp_get_default_allocator() == omp_const_mem_alloc);
  return 0;
}
