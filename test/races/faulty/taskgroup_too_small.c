// A planted fault: the second task stands outside of the taskgroup.
// RUN: %chomp-cc %s -o %t
// RUN: not %chomp-explore --seconds 60 %t 2>&1 | FileCheck %s
// CHECK: data race: `u[1]`
// CHECK: taskgroup_too_small.c:[[#@LINE+15]] writes it, in the task
#include <stdio.h>

static int u[16];

int main(void) {
#pragma omp parallel
#pragma omp single
  {
#pragma omp taskgroup
    {
#pragma omp task
      u[0] = 1;
    }
#pragma omp task
    u[1] = 2;
    u[2] = u[0] + u[1];
  }
  printf("%d\n", u[2] > 0);
}
