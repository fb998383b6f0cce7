// What GCC makes of allocate clauses, and the allocators' routines by libgomp's names and versions.
// REQUIRES: gomp
// RUN: %gcc-openmp %s -o %t && %for-threads %t && %chomp-preload %t
#include "support/check.h"
#include <omp.h>
#include <stdint.h>
#include <string.h>

static void clauses(omp_allocator_handle_t mine) {
  int x = 5, y[10] = {1, 2}, z[64];
  long sum = 0;
  memset(z, 7, sizeof z);
#pragma omp parallel private(x) firstprivate(y, z) reduction(+ : sum) allocate(align(128), allocator(mine) : x, y)     \
    allocate(z)
  {
    CHECK_EQ((uintptr_t)&x % 128, 0);
    CHECK_EQ((uintptr_t)y % 128, 0);
    CHECK(y[1] == 2 && y[9] == 0 && z[63] == 0x07070707);
    x = y[0] = z[0] = omp_get_thread_num();
    sum += 1;
#pragma omp task firstprivate(y) allocate(omp_large_cap_mem_alloc : y)
    {
      CHECK_EQ(y[1], 2);
      y[1] = 0;
    }
#pragma omp taskwait
    CHECK(y[1] == 2 && x == omp_get_thread_num());
  }
  CHECK(x == 5 && y[0] == 1 && z[0] == 0x07070707 && sum >= 1);
}

int main(void) {
  omp_alloctrait_t traits[] = {
      {omp_atk_alignment, 256}, {omp_atk_fallback, omp_atv_null_fb}, {omp_atk_pool_size, 1 << 20}};
  omp_allocator_handle_t mine = omp_init_allocator(omp_default_mem_space, 3, traits);
  CHECK(mine != omp_null_allocator);
  for (int round = 0; round < 50; round++) clauses(mine);

  char* block = omp_alloc(100, mine);
  CHECK(block != 0 && (uintptr_t)block % 256 == 0);
  memset(block, 3, 100);
  block = omp_realloc(block, 5000, mine, mine);
  CHECK(block != 0 && block[99] == 3 && (uintptr_t)block % 256 == 0);
  CHECK(omp_alloc(1 << 21, mine) == 0); // more than the pool
  omp_free(block, mine);
  block = omp_aligned_calloc(512, 10, 10, omp_default_mem_alloc);
  CHECK(block != 0 && (uintptr_t)block % 512 == 0 && block[99] == 0);
  omp_free(block, omp_null_allocator);
  omp_set_default_allocator(mine);
  CHECK(omp_get_default_allocator() == mine);
  block = omp_aligned_alloc(1024, 4096, omp_null_allocator);
  CHECK((uintptr_t)block % 1024 == 0);
  omp_free(block, mine);
  omp_destroy_allocator(mine);
  return 0;
}
