// def-allocator-var (OpenMP 5.2, 2.4): each task has its own value, which the tasks it makes inherit;
// omp_set_default_allocator() sets it for no other task; the first value is what OMP_ALLOCATOR says.
// RUN: %clang-openmp %s -o %t && %for-threads %t 1 && env OMP_ALLOCATOR=omp_low_lat_mem_alloc OMP_NUM_THREADS=3 %chomp-run %t 5
#include "support/check.h"
#include <omp.h>
#include <stdlib.h>

static void expect(omp_allocator_handle_t wanted) { CHECK_EQ((long)omp_get_default_allocator(), (long)wanted); }

int main(int argc, char** argv) {
  const omp_allocator_handle_t first = (omp_allocator_handle_t)atol(argc > 1 ? argv[1] : "1");
  expect(first);
#pragma omp parallel
  {
    expect(first);
    omp_set_default_allocator(omp_get_thread_num() % 2 ? omp_const_mem_alloc : omp_large_cap_mem_alloc);
    const omp_allocator_handle_t mine = omp_get_default_allocator();
    for (int i = 0; i < SCALED(50); i++) {
#pragma omp task firstprivate(mine)
      {
        expect(mine);
        omp_set_default_allocator(omp_thread_mem_alloc);
        expect(omp_thread_mem_alloc);
        void* block = omp_alloc(100, omp_null_allocator);
        CHECK(block != NULL);
        omp_free(block, omp_null_allocator);
      }
    }
#pragma omp taskwait
    expect(mine);
  }
  expect(first);
  omp_set_default_allocator(omp_null_allocator);
  expect(omp_default_mem_alloc);
  return 0;
}
