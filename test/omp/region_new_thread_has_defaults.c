// A thread that comes to OpenMP begins with what the environment says, whatever a thread before it had set.
// RUN: %clang-openmp %s -o %t && env OMP_NUM_THREADS=3 OMP_SCHEDULE=guided,5 %chomp-run %t
#include "support/check.h"
#include <omp.h>
#include <pthread.h>

static void* comes_and_goes(void* unused) {
  omp_sched_t kind;
  int chunk;
  omp_get_schedule(&kind, &chunk);
  CHECK_EQ(kind, omp_sched_guided);
  CHECK_EQ(chunk, 5);
  CHECK_EQ(omp_get_max_threads(), 3);
  for (int i = 1; i < 2000; i++) omp_set_schedule(omp_sched_static, i);
  omp_set_num_threads(7);
  CHECK_EQ(omp_get_max_threads(), 7);
  return unused;
}

int main(void) {
  for (int i = 0; i < 3; i++) {
    pthread_t thread;
    CHECK_EQ(pthread_create(&thread, NULL, comes_and_goes, NULL), 0);
    CHECK_EQ(pthread_join(thread, NULL), 0);
  }
  CHECK_EQ(omp_get_max_threads(), 3);
  return 0;
}
