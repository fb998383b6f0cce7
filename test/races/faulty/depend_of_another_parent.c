// A planted fault: dependences order siblings only: these two have different parents.
// RUN: %chomp-cc %s -o %t
// RUN: not %chomp-explore --seconds 60 %t 2>&1 | FileCheck %s
// CHECK: data race: `u[1]`
#include <stdio.h>

static int u[16];

int main(void) {
#pragma omp parallel
#pragma omp single
  {
#pragma omp task
    {
#pragma omp task depend(out : u[1])
      u[1] = 1;
#pragma omp taskwait
    }
#pragma omp task
    {
#pragma omp task depend(in : u[1])
      u[2] = u[1];
#pragma omp taskwait
    }
  }
  printf("%d\n", u[2] >= 0);
}
