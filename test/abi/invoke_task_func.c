// __kmpc_invoke_task_func calls the body of the region that the calling thread is in, whether the region is active or
// serialised; where there is none it says so.
// RUN: %clang-openmp %s -o %t && %for-threads %t
#include "support/check.h"
#include <omp.h>

int __kmpc_invoke_task_func(int gtid);

static _Thread_local int depth;

static int calls_in_region(int parallel) {
  int calls = 0;
  int threads = 0;
#pragma omp parallel if (parallel) shared(calls, threads)
  {
#pragma omp atomic
    ++calls;
    if (depth++ == 0) {
      CHECK_EQ(__kmpc_invoke_task_func(0), 1);
#pragma omp atomic
      ++threads;
    }
    --depth;
  }
  CHECK_EQ(calls, 2 * threads);
  return threads;
}

int main(void) {
  CHECK_EQ(__kmpc_invoke_task_func(0), 0);
  CHECK_EQ(calls_in_region(1), omp_get_max_threads());
  CHECK_EQ(__kmpc_invoke_task_func(0), 0);
  CHECK_EQ(calls_in_region(1), omp_get_max_threads());
  omp_set_num_threads(1);
  CHECK_EQ(calls_in_region(1), 1);
  return 0;
}
