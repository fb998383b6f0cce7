// Without a fault: with the same static schedule a thread meets only its own iterations.
// RUN: %chomp-cc -O2 %s -o %t
// RUN: %chomp-explore --runs 100 --seconds 0 %t 2>&1 | FileCheck %s
// CHECK: nothing found
#include <stdio.h>

static int u[16];

int main(void) {
  static int v[16];
#pragma omp parallel
  {
#pragma omp for schedule(static) nowait
    for (int i = 0; i < 16; ++i) u[i] = i;
#pragma omp for schedule(static) nowait
    for (int i = 0; i < 16; ++i) v[i] = u[i];
#pragma omp barrier
#pragma omp for schedule(dynamic, 2)
    for (int i = 0; i < 16; ++i) u[i] = v[15 - i];
  }
  printf("%d\n", u[0]);
}
