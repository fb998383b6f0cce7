// A planted fault: each block waits for the one above only.
// RUN: %chomp-cc %s -o %t
// RUN: not %chomp-explore --seconds 60 %t 2>&1 | FileCheck %s
// CHECK: data race: `grid[
#include <stdio.h>

static int grid[6][6];

int main(void) {
#pragma omp parallel
#pragma omp single
  {
    for (int i = 1; i < 6; ++i)
      for (int j = 1; j < 6; ++j) {
#pragma omp task depend(in : grid[i - 1][j]) depend(out : grid[i][j])
        grid[i][j] = grid[i - 1][j] + grid[i][j - 1] + 1;
      }
  }
  printf("%d\n", grid[5][5] > 0);
}
