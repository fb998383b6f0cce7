// A planted fault: the second task depends on an element beside the one that it reads.
// RUN: %chomp-cc %s -o %t
// RUN: not %chomp-explore --seconds 60 %t 2>&1 | FileCheck %s
// CHECK: data race: `u[2]`
#include <stdio.h>

static int u[16];

int main(void) {
#pragma omp parallel
#pragma omp single
  {
    for (int i = 1; i < 4; ++i) {
#pragma omp task depend(out : u[i])
      u[i] = i;
    }
#pragma omp task depend(in : u[1]) depend(in : u[3])
    u[0] = u[1] + u[2] + u[3];
  }
  printf("%d\n", u[0] >= 0);
}
