// Several threads create dependent tasks at once, in the children of different tasks, and a wavefront of them runs
// while its creator still adds to it.
#include "support/check.h"
#include <omp.h>

enum { kSize = 4, kRounds = 3 };

static void wavefront(int (*cells)[kSize + 1]) {
  for (int row = 1; row <= kSize; row++)
    for (int column = 1; column <= kSize; column++)
#pragma omp task depend(in : cells[row - 1][column], cells[row][column - 1]) depend(out : cells[row][column])          \
    firstprivate(row, column, cells)
      cells[row][column] = cells[row - 1][column] + cells[row][column - 1];
#pragma omp taskwait
  CHECK_EQ(cells[kSize][kSize], 70);
}

int main(void) {
#pragma omp parallel num_threads(2)
  {
    int cells[kSize + 1][kSize + 1] = {{0}};
    for (int i = 0; i <= kSize; i++) cells[i][0] = cells[0][i] = 1;
    cells[0][0] = 0;
    wavefront(cells);
  }
  int counter = 0;
#pragma omp parallel shared(counter)
#pragma omp single nowait
  for (int round = 0; round < kRounds; round++) {
#pragma omp task depend(inout : counter) shared(counter)
    counter++;
#pragma omp task depend(mutexinoutset : counter) shared(counter)
    counter += 10;
#pragma omp task depend(mutexinoutset : counter) shared(counter)
    counter += 100;
  }
  CHECK_EQ(counter, 111 * kRounds);
  return 0;
}
