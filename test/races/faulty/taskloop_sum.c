// A planted fault: the tasks of a taskloop share a sum.
// RUN: %chomp-cc %s -o %t
// RUN: not %chomp-explore --seconds 60 %t 2>&1 | FileCheck %s
// CHECK: data race: `total`
#include <stdio.h>

static int total;

int main(void) {
#pragma omp parallel
#pragma omp single
  {
#pragma omp taskloop num_tasks(4)
    for (int i = 0; i < 8; ++i) total += i;
  }
  printf("%d\n", total >= 0);
}
