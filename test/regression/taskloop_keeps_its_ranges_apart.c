// Iterations of a taskloop that leave tasks behind are executed once each, and so are these tasks. What was left of the
// loop lay in the private deque; when somebody had taken and finished it, and its block held another task by then, that
// one was taken for it: iterations were repeated, and the task was forgotten. Without the scheduling constraint a
// taskyield inside an iteration takes what is left of the loop itself, and the block is used again at once.
// RUN: %clang-openmp %s -o %t && %for-threads %t && env KMP_TASK_STEALING_CONSTRAINT=0 %for-threads %t
#include "support/check.h"
#include <omp.h>

#define ITERATIONS 300

static int iterations[ITERATIONS], children[ITERATIONS];

int main(void) {
  for (int round = 0; round < SCALED(64); round++) {
    for (int i = 0; i < ITERATIONS; i++) iterations[i] = children[i] = 0;
#pragma omp parallel
#pragma omp single
#pragma omp taskloop grainsize(1)
    for (int i = 0; i < ITERATIONS; i++) {
      ATOMIC_ADD(iterations[i], 1);
#pragma omp taskyield
#pragma omp task firstprivate(i)
      ATOMIC_ADD(children[i], 1);
    }
    for (int i = 0; i < ITERATIONS; i++) {
      CHECK_EQ(iterations[i], 1);
      CHECK_EQ(children[i], 1);
    }
  }
  return 0;
}
