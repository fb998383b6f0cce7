// A planted fault: the taskloop has no group, so nobody waits for its tasks.
// RUN: %chomp-cc %s -o %t
// RUN: not %chomp-explore --seconds 60 %t 2>&1 | FileCheck %s
// CHECK: data race: `u[
#include <stdio.h>

static int u[16];

int main(void) {
#pragma omp parallel
#pragma omp single
  {
#pragma omp taskloop nogroup num_tasks(4)
    for (int i = 0; i < 8; ++i) u[i] = i;
    u[8] = u[0] + u[7];
  }
  printf("%d\n", u[8] >= 0);
}
