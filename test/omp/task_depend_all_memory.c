// omp_all_memory depends on every task before it that has a dependence, and everything after depends on it.
// RUN: %clang-openmp -fopenmp-version=51 %s -o %t && %for-threads %t
#include "support/check.h"

enum { kRounds = SCALED(800), kCells = 8 };

int main(void) {
  int cell[kCells] = {0}, early = 0;
#pragma omp parallel
#pragma omp single
  for (int round = 0; round < kRounds; round++) {
    for (int i = 0; i < kCells; i++)
#pragma omp task depend(inout : cell[i]) firstprivate(i, round) shared(cell)
    {
      CHECK_EQ(cell[i], 2 * round);
      cell[i]++;
    }
#pragma omp task depend(inout : omp_all_memory) firstprivate(round) shared(cell)
    for (int i = 0; i < kCells; i++) {
      if (cell[i] != 2 * round + 1) ATOMIC_ADD(early, 1);
      cell[i]++;
    }
#pragma omp task depend(in : cell[0]) firstprivate(round) shared(cell)
    CHECK_EQ(cell[kCells - 1] >= 2 * round + 2, 1);
#pragma omp taskwait
  }
  CHECK_EQ(early, 0);
  return 0;
}
