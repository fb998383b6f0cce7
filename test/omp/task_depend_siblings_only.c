// Dependences order siblings. A child that names its parent's address neither waits for the parent (it would never end)
// nor orders its cousins.
// RUN: %clang-openmp %s -o %t && %for-threads %t
#include "support/check.h"

int main(void) {
  for (int round = 0; round < SCALED(800); round++) {
    int x = 0, inner = 0;
#pragma omp parallel
#pragma omp single
    for (int i = 0; i < 4; i++)
#pragma omp task depend(inout : x) firstprivate(i) shared(inner)
    {
      CHECK_EQ(x, i);
      for (int k = 0; k < 3; k++)
#pragma omp task depend(inout : x) shared(inner)
        inner++; // a chain: plain is enough, the taskwait below joins it to the next outer task
#pragma omp taskwait
      CHECK_EQ(inner, 3 * (i + 1));
      x++;
    }
    CHECK_EQ(x, 4);
    CHECK_EQ(inner, 12);
  }
  return 0;
}
