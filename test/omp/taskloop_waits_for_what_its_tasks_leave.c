// A taskloop ends when its tasks have finished, and all that these have left behind: their children, and the children
// of those. The tasks of the loop become long at last, so that other threads get ranges of it, and parts of these.
// RUN: %clang-openmp %s -o %t && %for-threads %t
#include "support/check.h"
#include <omp.h>

enum { kTasks = 200, kLong = 20, kRounds = 60, kLeft = 3 };

static int finished;

static void work(int steps) {
  for (volatile int i = 0; i < steps; i++) {
  }
}

static void leave(int depth, int steps) {
  for (int i = 0; depth > 0 && i < kLeft; i++) {
#pragma omp task firstprivate(depth, steps)
    leave(depth - 1, steps);
  }
  work(steps);
  ATOMIC_ADD(finished, 1);
}

int main(void) {
  for (int round = 0; round < SCALED(kRounds); round++) {
    finished = 0;
#pragma omp parallel
#pragma omp single
    {
#pragma omp taskloop grainsize(1)
      for (int i = 0; i < kTasks; i++) leave(2, i < kTasks - kLong ? 10 : 1000);
      CHECK_EQ(__atomic_load_n(&finished, __ATOMIC_RELAXED), kTasks * (1 + kLeft + kLeft * kLeft));
    }
  }
  return 0;
}
