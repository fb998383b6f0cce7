// A thread that waits, and yields a CPU that others then keep for long, sleeps instead of yielding again: where many
// processes share the CPUs, each yield of a thread with a low priority can cost a second. (Builds with debug checks
// yield elsewhere too, so that tests meet more orders of events.)
// UNSUPPORTED: checks, sanitizer-address
// RUN: %clang-openmp %s -o %t && %for-threads -t "2 3 8" %t && env OMP_CANCELLATION=true %for-threads -t "2 8" %t
#include "support/check.h"
#include <omp.h>

static _Thread_local int yields;

// In the place of the system's: others keep the CPU for 5 ms.
int sched_yield(void) {
  yields++;
  usleep(5000);
  return 0;
}

int main(void) {
  int most_ordered = 0, most_barrier = 0;
#pragma omp parallel reduction(max : most_ordered, most_barrier)
  {
    int threads = omp_get_num_threads();
#pragma omp barrier
    yields = 0;
#pragma omp for ordered schedule(static, 1)
    for (int i = 0; i < threads; i++) {
#pragma omp ordered
      if (i == 0) usleep(400000);
      most_ordered = yields;
    }
    yields = 0;
    if (omp_get_thread_num() == 0) usleep(400000);
#pragma omp barrier
    most_barrier = yields;
  }
  CHECK(most_ordered <= 3);
  CHECK(most_barrier <= 3);
  return 0;
}
