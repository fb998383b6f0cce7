// The waiting thread runs the last predecessor of a task, its own wait ends with that, and it goes on computing:
// another thread, which sleeps by then, runs the released task. It was told of by nobody.
// RUN: %clang-openmp %s -o %t && env KMP_BLOCKTIME=0 %for-threads -t "2 3 8" %t && %for-threads -t "2 3 8" %t
#include "support/check.h"
#include <omp.h>

static int released_ran, in_last;

int main(void) {
  for (int round = 0; round < 5; round++) {
    int p = 0, x = 0;
    ATOMIC_STORE(released_ran, 0);
    ATOMIC_STORE(in_last, 0);
#pragma omp parallel
#pragma omp single
    {
#pragma omp task depend(out : p) shared(p)
      {
        // It ends when the waiting thread is inside the other task, so that this wait is over after that.
        while (!ATOMIC_LOAD(in_last)) {
        }
        p = 1;
      }
#pragma omp task depend(out : x) shared(x)
      {
        ATOMIC_STORE(in_last, 1);
        burn(400000);
        x = 1;
      }
#pragma omp task depend(in : x) shared(x)
      {
        CHECK_EQ(x, 1);
        ATOMIC_STORE(released_ran, 1);
      }
#pragma omp taskwait depend(in : p)
      while (!ATOMIC_LOAD(released_ran)) {
      }
    }
  }
  return 0;
}
