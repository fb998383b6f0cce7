// Iterations of a taskloop that leave tasks behind are executed once each, and so are these tasks. What was left of the
// loop lay in the private deque; when somebody had taken and finished it, and its block held another task by then, that
// one was taken for it: iterations were repeated, and the task was forgotten. Without the scheduling constraint a
// taskyield inside an iteration takes what is left of the loop itself, and the block is used again at once. With an
// argument an iteration is the first to ask for its handle: from then on tasks may stop, but what is left of this loop
// does not, since it was not counted for that.
// RUN: %clang-openmp -I%root %s -o %t && %for-threads %t && env KMP_TASK_STEALING_CONSTRAINT=0 %for-threads %t
// RUN: %for-threads %t handle && env KMP_TASK_STEALING_CONSTRAINT=0 %for-threads %t handle
#define CHOMP_WEAK
#include "abi/chomp.h"
#include "support/check.h"
#include <omp.h>

#define ITERATIONS 300

static int iterations[ITERATIONS], children[ITERATIONS];

int main(int argc, char** argv) {
  (void)argv;
  for (int round = 0; round < SCALED(64); round++) {
    for (int i = 0; i < ITERATIONS; i++) iterations[i] = children[i] = 0;
#pragma omp parallel
#pragma omp single
#pragma omp taskloop grainsize(1)
    for (int i = 0; i < ITERATIONS; i++) {
      ATOMIC_ADD(iterations[i], 1);
      if (argc > 1 && i == ITERATIONS / 2) CHECK(chomp_task_self() != NULL);
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
