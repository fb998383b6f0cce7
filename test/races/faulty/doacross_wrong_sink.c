// A planted fault: each iteration waits for the one before the one that it needs.
// RUN: %chomp-cc %s -o %t
// RUN: not %chomp-explore --seconds 60 %t 2>&1 | FileCheck %s
// CHECK: data race: `u[
#include <stdio.h>

static int u[16];

int main(void) {
#pragma omp parallel num_threads(3)
#pragma omp for ordered(1) schedule(static, 1)
  for (int i = 2; i < 14; ++i) {
#pragma omp ordered depend(sink : i - 2)
    u[i] = u[i - 1] + 1;
#pragma omp ordered depend(source)
  }
  printf("%d\n", u[13] > 0);
}
