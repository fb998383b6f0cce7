// A planted fault: a taskwait waits for children, not for their children.
// RUN: %chomp-cc %s -o %t
// RUN: not %chomp-explore --seconds 60 %t 2>&1 | FileCheck %s
// CHECK: data race: `u[0]`
#include <stdio.h>

static int u[16];

int main(void) {
#pragma omp parallel
#pragma omp single
  {
#pragma omp task
    {
#pragma omp task
      u[0] = 1;
    }
#pragma omp taskwait
    u[1] = u[0];
  }
  printf("%d\n", u[1] >= 0);
}
