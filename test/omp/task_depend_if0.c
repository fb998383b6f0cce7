// An undeferred task with dependences runs at its place: after its predecessors, before the creator goes on, and its
// successors see its result.
// RUN: %clang-openmp %s -o %t && %for-threads %t
// RUN: %clang-openmp -O0 %s -o %t && %for-threads %t
#include "support/check.h"

int main(int argc, char** argv) {
  int never = argc > 100;
  for (int round = 0; round < SCALED(480); round++) {
    int x = 0, after = -1, order = 0;
#pragma omp parallel
#pragma omp single
    {
#pragma omp task depend(out : x)
      {
        burn(500);
        x = 1;
      }
#pragma omp task depend(inout : x) if (0) shared(order)
      {
        CHECK_EQ(x, 1);
        x = 2;
        order = 1;
      }
      CHECK_EQ(order, 1);
#pragma omp task depend(inout : x)
      x = x == 2 ? 3 : -1;
#pragma omp task depend(inout : x) if (never) shared(order)
      {
        CHECK_EQ(x, 3);
        x = 4;
        order = 2;
      }
      CHECK_EQ(order, 2);
#pragma omp task depend(in : x) shared(after)
      after = x;
    }
    CHECK_EQ(after, 4);
  }
  return 0;
}
