// A taskloop ends when its tasks have finished, and all that these have left behind: their children, and the children
// of those. The tasks are long, so that other threads get ranges of it, and parts of these. What was left first takes
// the least time: who waits for a range may take that, and is done before its owner has run the rest.
// RUN: %clang-openmp %s -o %t && %for-threads %t
#include "support/check.h"
#include <omp.h>

enum { kTasks = 100, kRounds = 240, kLeft = 3, kSteps = 2000 };

static int finished;

static void work(int steps) {
  for (volatile int i = 0; i < steps; i++) {
  }
}

static void leave(int depth, int steps) {
  for (int i = 0; depth > 0 && i < kLeft; i++) {
#pragma omp task firstprivate(depth, i)
    leave(depth - 1, i * i * kSteps);
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
      for (int i = 0; i < kTasks; i++) leave(1 + i % 2, kSteps);
      CHECK_EQ(__atomic_load_n(&finished, __ATOMIC_RELAXED), kTasks + kTasks * kLeft + kTasks / 2 * kLeft * kLeft);
    }
  }
  return 0;
}
