// Without a fault: inner regions of different elements; tasks in them.
// RUN: %chomp-cc -O2 %s -o %t
// RUN: %chomp-explore --runs 100 --seconds 0 %t 2>&1 | FileCheck %s
// CHECK: nothing found
#include <omp.h>
#include <stdio.h>

static int u[16];

int main(void) {
  omp_set_max_active_levels(2);
#pragma omp parallel num_threads(2)
  {
    int base = 8 * omp_get_thread_num();
#pragma omp parallel for num_threads(2)
    for (int i = 0; i < 8; ++i) u[base + i] += i;
#pragma omp parallel num_threads(2)
#pragma omp single
    {
#pragma omp task
      u[base] += 1;
#pragma omp task
      u[base + 1] += u[base + 2];
    }
  }
  printf("%d\n", u[0] + u[9]);
}
