// A planted fault: two inner regions write the same elements.
// RUN: %chomp-cc %s -o %t
// RUN: not %chomp-explore --seconds 60 %t 2>&1 | FileCheck %s
// CHECK: data race: `u[
#include <omp.h>
#include <stdio.h>

static int u[16];

int main(void) {
  omp_set_max_active_levels(2);
#pragma omp parallel num_threads(2)
#pragma omp parallel for num_threads(2)
  for (int i = 0; i < 4; ++i) u[i] += i;
  printf("%d\n", u[3] > 0);
}
