// Without a fault: each task has its own copy of the variable.
// RUN: %chomp-cc -O2 %s -o %t
// RUN: %chomp-explore --runs 100 --seconds 0 %t 2>&1 | FileCheck %s
// CHECK: nothing found
#include <stdio.h>

static int u[16];

int main(void) {
#pragma omp parallel
#pragma omp single
  {
    for (int i = 0; i < 8; ++i) {
#pragma omp task firstprivate(i)
      u[i] = i;
    }
  }
  int sum = 0;
  for (int i = 0; i < 8; ++i) sum += u[i];
  printf("%d\n", sum);
}
