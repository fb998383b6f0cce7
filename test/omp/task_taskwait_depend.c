// taskwait depend waits for the tasks it names; it need not wait for others, and must not deadlock on them.
// RUN: %clang-openmp -fopenmp-version=51 %s -o %t && %for-threads %t
#include "support/check.h"
#include <omp.h>

int main(void) {
  for (int round = 0; round < SCALED(800); round++) {
    int x = 0, y = 0, open = 0, other = 0;
#pragma omp parallel
#pragma omp single
    {
      // Where there are other threads, holds up a task that the taskwait does not name: waiting for it as well would
      // never end.
      int hold = omp_get_num_threads() > 2 && round % 8 == 0;
      if (hold) {
        int started = 0;
#pragma omp task shared(open, other, started) depend(out : other)
        {
          ATOMIC_STORE(started, 1);
          SPIN_UNTIL(ATOMIC_LOAD(open));
          other = 1;
        }
        SPIN_UNTIL(ATOMIC_LOAD(started)); // so that it is another thread that holds it
      }
      for (int i = 0; i < 5; i++) {
#pragma omp task depend(inout : x)
        x++;
#pragma omp task depend(inout : y)
        y++;
      }
#pragma omp taskwait depend(in : x)
      CHECK_EQ(x, 5);
#pragma omp taskwait depend(inout : y) depend(in : x)
      CHECK_EQ(y, 5);
      ATOMIC_STORE(open, 1);
      if (hold) {
#pragma omp taskwait
        CHECK_EQ(other, 1);
      }
    }
  }
  return 0;
}
