// Without a fault: each task names what it reads.
// RUN: %chomp-cc -O2 %s -o %t
// RUN: %chomp-explore --runs 100 --seconds 0 %t 2>&1 | FileCheck %s
// CHECK: nothing found
#include <stdio.h>

static int u[16];

int main(void) {
#pragma omp parallel
#pragma omp single
  {
    for (int i = 0; i < 15; ++i) {
#pragma omp task depend(in : u[i]) depend(out : u[i + 1])
      u[i + 1] = u[i] + 1;
    }
  }
  printf("%d\n", u[15]);
}
