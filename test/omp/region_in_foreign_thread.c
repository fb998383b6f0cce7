// The process's first region may be forked by a thread other than the main one, which may end before the main thread
// forks.
// RUN: %clang-openmp %s -o %t && %for-threads %t
#include "support/check.h"
#include <omp.h>
#include <pthread.h>

static void region(void) {
  int threads = 0, tasks = 0;
#pragma omp parallel reduction(+ : threads)
  {
    threads++;
    CHECK_EQ(omp_in_parallel() != 0, omp_get_num_threads() > 1);
#pragma omp task shared(tasks)
    ATOMIC_ADD(tasks, 1);
  }
  CHECK_EQ(threads, omp_get_max_threads());
  CHECK_EQ(tasks, threads);
}

static void* foreign(void* unused) {
  CHECK_EQ(omp_get_thread_num(), 0);
  CHECK_EQ(omp_get_level(), 0);
  region();
  region();
  return 0;
}

int main(void) {
  for (int i = 0; i < 3; i++) {
    pthread_t thread;
    CHECK_EQ(pthread_create(&thread, 0, foreign, 0), 0);
    pthread_join(thread, 0);
  }
  region();
  return 0;
}
