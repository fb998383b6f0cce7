// flush orders a hand-made flag; omp_get_wtime goes forward and has a positive tick; the simple inquiry functions
// answer.
// RUN: %clang-openmp %s -o %t && %for-threads %t
#include "support/check.h"
#include <omp.h>

int main(void) {
  int data = 0, flag = 0;
#pragma omp parallel sections num_threads(2) shared(data, flag)
  {
#pragma omp section
    {
#pragma omp atomic write
      data = 42;
#pragma omp flush
#pragma omp atomic write
      flag = 1;
    }
#pragma omp section
    {
      int seen = 0, value;
      do {
        sched_yield();
#pragma omp atomic read
        seen = flag;
      } while (!seen && omp_get_num_threads() > 1);
#pragma omp flush
#pragma omp atomic read
      value = data;
      if (seen) CHECK_EQ(value, 42);
    }
  }
  double before = omp_get_wtime(), tick = omp_get_wtick();
  burn(100000);
  CHECK(omp_get_wtime() >= before);
  CHECK(tick > 0 && tick < 1);
  CHECK(omp_get_num_procs() >= 1);
  CHECK(omp_get_thread_limit() >= omp_get_max_threads());
  CHECK(omp_get_supported_active_levels() > 1);
  CHECK_EQ(omp_get_num_devices(), 0);
  CHECK(omp_is_initial_device());
  CHECK_EQ(omp_get_initial_device(), 0);
  void* memory = omp_alloc(1000, omp_default_mem_alloc);
  CHECK(memory);
  omp_free(memory, omp_default_mem_alloc);
  return 0;
}
