// Without a fault: each block waits for those above and to the left.
// RUN: %chomp-cc -O2 %s -o %t
// RUN: %chomp-explore --runs 100 --seconds 0 %t 2>&1 | FileCheck %s
// CHECK: nothing found
#include <stdio.h>

static int grid[6][6];

int main(void) {
#pragma omp parallel
#pragma omp single
  {
    for (int i = 1; i < 6; ++i)
      for (int j = 1; j < 6; ++j) {
#pragma omp task depend(in : grid[i - 1][j], grid[i][j - 1]) depend(out : grid[i][j])
        grid[i][j] = grid[i - 1][j] + grid[i][j - 1] + 1;
      }
  }
  printf("%d\n", grid[5][5]);
}
