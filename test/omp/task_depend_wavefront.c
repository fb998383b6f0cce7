// A task with several predecessors runs after all of them: diamonds, and a grid where each cell needs its upper and
// left neighbours. RUN: %clang-openmp %s -o %t && %for-threads %t
#include "support/check.h"

enum { kSide = 64, kWide = 50 };
static long cell[kSide + 1][kSide + 1], expected[kSide + 1][kSide + 1];

static void grid(void) {
  for (int i = 0; i <= kSide; i++) cell[i][0] = cell[0][i] = expected[i][0] = expected[0][i] = 1;
  for (int i = 1; i <= kSide; i++)
    for (int j = 1; j <= kSide; j++) expected[i][j] = (expected[i - 1][j] + 3 * expected[i][j - 1] + i) % 1000003;
#pragma omp parallel
#pragma omp single
  for (int i = 1; i <= kSide; i++)
    for (int j = 1; j <= kSide; j++)
#pragma omp task depend(in : cell[i - 1][j], cell[i][j - 1]) depend(out : cell[i][j]) firstprivate(i, j)
      cell[i][j] = (cell[i - 1][j] + 3 * cell[i][j - 1] + i) % 1000003;
  for (int i = 0; i <= kSide; i++)
    for (int j = 0; j <= kSide; j++) CHECK_EQ(cell[i][j], expected[i][j]);
}

static void diamonds(void) {
  long middle[kWide], top = 0, bottom = 0;
#pragma omp parallel
#pragma omp single
  for (int round = 0; round < SCALED(100); round++) {
#pragma omp task depend(out : top) depend(in : bottom)
    top = bottom + 1;
    for (int i = 0; i < kWide; i++)
#pragma omp task depend(in : top) depend(out : middle[i]) firstprivate(i) shared(middle)
      middle[i] = top + i;
#pragma omp task depend(iterator(i = 0 : kWide), in : middle[i]) depend(out : bottom) depend(in : top) shared(middle)
    {
      bottom = 0;
      for (int i = 0; i < kWide; i++) bottom += middle[i] - i - top + 1;
      bottom = bottom == kWide ? top : -1;
    }
  }
  CHECK_EQ(bottom, SCALED(100));
}

int main(void) {
  grid();
  diamonds();
  return 0;
}
