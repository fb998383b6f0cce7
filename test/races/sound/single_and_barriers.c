// Without a fault: values from single, copyprivate, and master with a barrier.
// RUN: %chomp-cc -O2 %s -o %t
// RUN: %chomp-explore --runs 100 --seconds 0 %t 2>&1 | FileCheck %s
// CHECK: nothing found
#include <stdio.h>

static int ready, steps[4];

int main(void) {
  int sum = 0;
#pragma omp parallel num_threads(3) reduction(+ : sum)
  {
    int own = 0;
#pragma omp master
    ready = 1;
#pragma omp barrier
#pragma omp single copyprivate(own)
    own = 5;
    sum += ready + own;
#pragma omp single
    steps[0] = 1;
    sum += steps[0];
  }
  printf("%d\n", sum);
}
