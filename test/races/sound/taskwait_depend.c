// Without a fault: a taskwait for one of two tasks.
// RUN: %chomp-cc -O2 %s -o %t
// RUN: %chomp-explore --runs 100 --seconds 0 %t 2>&1 | FileCheck %s
// CHECK: nothing found
#include <stdio.h>

static int u[16];

int main(void) {
#pragma omp parallel
#pragma omp single
  {
#pragma omp task depend(out : u[0])
    u[0] = 1;
#pragma omp task depend(out : u[1])
    u[1] = 1;
#pragma omp taskwait depend(in : u[0])
    u[2] = u[0];
#pragma omp taskwait
    u[3] = u[1];
  }
  printf("%d\n", u[2] + u[3]);
}
