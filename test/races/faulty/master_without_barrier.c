// A planted fault: the others use what the master thread sets, without a barrier.
// RUN: %chomp-cc %s -o %t
// RUN: not %chomp-explore --seconds 60 %t 2>&1 | FileCheck %s
// CHECK: data race: `ready`
#include <stdio.h>

static int ready;

int main(void) {
  int sum = 0;
#pragma omp parallel num_threads(2) reduction(+ : sum)
  {
#pragma omp master
    ready = 1;
    sum += ready;
  }
  printf("%d\n", sum > 0);
}
