// Without a fault: each thread counts in its own variable, in tasks too.
// RUN: %chomp-cc -O2 %s -o %t
// RUN: %chomp-explore --runs 100 --seconds 0 %t 2>&1 | FileCheck %s
// CHECK: nothing found
#include <stdio.h>

static int own;
#pragma omp threadprivate(own)

int main(void) {
  int sum = 0;
#pragma omp parallel num_threads(3)
  {
#pragma omp single
    for (int i = 0; i < 12; ++i) {
#pragma omp task
      own += 1;
    }
#pragma omp critical
    sum += own;
  }
  printf("%d\n", sum);
}
