// A planted fault: the second loop reads elements that other threads write in the first one.
// RUN: %chomp-cc %s -o %t
// RUN: not %chomp-explore --seconds 60 %t 2>&1 | FileCheck %s
// CHECK: data race: `u[
#include <stdio.h>

static int u[16];

int main(void) {
  static int v[16];
#pragma omp parallel
  {
#pragma omp for schedule(static) nowait
    for (int i = 0; i < 16; ++i) u[i] = i;
#pragma omp for schedule(static)
    for (int i = 0; i < 16; ++i) v[i] = u[15 - i];
  }
  printf("%d\n", v[0] >= 0);
}
