// A member that sleeps while others of its domain work is woken for a task that turns up in another domain later, also
// if the task's creator reaches no scheduling point any more. Each task lasts until the end, so each needs another
// thread.
// REQUIRES: hwloc
// RUN: %clang -O2 -Wall -Wextra -shared -fPIC %root/test/support/many_cpus.c -o %t.so -ldl
// RUN: %clang-openmp %s -o %t
// RUN: env KMP_BLOCKTIME=5 HWLOC_SYNTHETIC="package:2 l3:1 core:2 pu:1" %for-schedulers env LD_PRELOAD=%t.so %t
// UNSUPPORTED: sanitizer-address, sanitizer-thread
#include "support/check.h"
#include <omp.h>
#include <time.h>

enum { kThreads = 4 };

int main(void) {
  int started, end;
  for (int round = 0; round < 5; round++) {
    started = end = 0;
#pragma omp parallel num_threads(kThreads)
#pragma omp single
    {
      CHECK_EQ(omp_get_num_threads(), kThreads);
      for (int i = 1; i < kThreads; i++) {
        nanosleep(&(struct timespec){.tv_nsec = 20000000}, 0); // the others fall asleep
#pragma omp task shared(started, end)
        {
          ATOMIC_ADD(started, 1);
          SPIN_UNTIL(ATOMIC_LOAD(end));
        }
        SPIN_UNTIL(ATOMIC_LOAD(started) == i);
      }
      ATOMIC_STORE(end, 1);
    }
  }
  return 0;
}
