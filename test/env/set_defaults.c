// kmp_set_defaults does what the environment variables of the same names do, before and after the first region; what
// the program has set itself stays, unless the text names it, whatever it was before. __kmpc_get_target_offload returns
// the value of OMP_TARGET_OFFLOAD.
// RUN: %clang-openmp %s -o %t
// RUN: env OMP_NUM_THREADS=7 OMP_TARGET_OFFLOAD=disabled %chomp-run %t
#include "support/check.h"
#include <omp.h>

int __kmpc_get_target_offload(void);

static int threads_of_region(void) {
  int threads = 0;
#pragma omp parallel
#pragma omp single
  threads = omp_get_num_threads();
  return threads;
}

int main(void) {
  kmp_set_defaults("OMP_NUM_THREADS=3|OMP_SCHEDULE=dynamic,5");
  CHECK_EQ(threads_of_region(), 3);
  omp_sched_t kind;
  int chunk;
  omp_get_schedule(&kind, &chunk);
  CHECK(kind == omp_sched_dynamic && chunk == 5);
  CHECK_EQ(__kmpc_get_target_offload(), 0);

  kmp_set_defaults("OMP_NUM_THREADS=4");
  CHECK_EQ(threads_of_region(), 4);
  omp_set_num_threads(2);
  kmp_set_defaults("OMP_TARGET_OFFLOAD=MANDATORY|KMP_BLOCKTIME=3|OMP_DYNAMIC=false");
  CHECK_EQ(__kmpc_get_target_offload(), 2);
  CHECK_EQ(kmp_get_blocktime(), 3);
  CHECK_EQ(threads_of_region(), 2);
  omp_get_schedule(&kind, &chunk);
  CHECK(kind == omp_sched_dynamic && chunk == 5);

  kmp_set_defaults("OMP_NUM_THREADS=4");
  CHECK_EQ(threads_of_region(), 4);
  omp_set_num_threads(3);
  kmp_set_defaults("OMP_NUM_THREADS=nonsense"); // a warning
  CHECK_EQ(threads_of_region(), 3);
  omp_set_dynamic(1);
  kmp_set_defaults("OMP_DYNAMIC=false");
  CHECK_EQ(omp_get_dynamic(), 0);

  omp_set_schedule(omp_sched_guided, 0); // no chunk: 1 is meant
  omp_get_schedule(&kind, &chunk);
  CHECK(kind == omp_sched_guided && chunk == 1);
  omp_set_schedule(omp_sched_static, 0);
  omp_get_schedule(&kind, &chunk);
  CHECK(kind == omp_sched_static && chunk == 0);
  return 0;
}
