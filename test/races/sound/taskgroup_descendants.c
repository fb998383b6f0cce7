// Without a fault: a taskgroup waits for the tasks of its tasks.
// RUN: %chomp-cc -O2 %s -o %t
// RUN: %chomp-explore --runs 100 --seconds 0 %t 2>&1 | FileCheck %s
// CHECK: nothing found
#include <stdio.h>

static int u[16];

int main(void) {
#pragma omp parallel
#pragma omp single
  {
#pragma omp taskgroup
    {
      for (int i = 0; i < 4; ++i) {
#pragma omp task
        {
#pragma omp task
          u[i] = i;
        }
      }
    }
    u[8] = u[0] + u[1] + u[2] + u[3];
  }
  printf("%d\n", u[8]);
}
