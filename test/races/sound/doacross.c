// Without a fault: each iteration waits for the one before.
// RUN: %chomp-cc -O2 %s -o %t
// RUN: %chomp-explore --runs 100 --seconds 0 %t 2>&1 | FileCheck %s
// CHECK: nothing found
#include <stdio.h>

static int u[16];

int main(void) {
#pragma omp parallel num_threads(3)
#pragma omp for ordered(1) schedule(dynamic, 1)
  for (int i = 1; i < 14; ++i) {
#pragma omp ordered depend(sink : i - 1)
    u[i] = u[i - 1] + 1;
#pragma omp ordered depend(source)
  }
  printf("%d\n", u[13]);
}
