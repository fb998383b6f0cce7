// Without a fault: tasks that their creator runs at once, and final ones, are ordered with it.
// RUN: %chomp-cc -O2 %s -o %t
// RUN: %chomp-explore --runs 100 --seconds 0 %t 2>&1 | FileCheck %s
// CHECK: nothing found
#include <stdio.h>

static int u[16];

int main(void) {
#pragma omp parallel
#pragma omp single
  {
    u[0] = 1;
#pragma omp task if (0)
    u[1] = u[0] + 1;
    u[2] = u[1] + 1;
#pragma omp task final(1)
    {
      u[3] = 1;
#pragma omp task
      u[3] += 1;
      u[3] += 1;
    }
  }
  printf("%d %d\n", u[2], u[3]);
}
