// A planted fault: two critical regions of different names do not exclude each other.
// RUN: %chomp-cc %s -o %t
// RUN: not %chomp-explore --seconds 60 %t 2>&1 | FileCheck %s
// CHECK: data race: `total`
#include <stdio.h>

static int total;

int main(void) {
#pragma omp parallel sections num_threads(2)
  {
#pragma omp section
    {
#pragma omp critical(one)
      total += 1;
    }
#pragma omp section
    {
#pragma omp critical(other)
      total += 2;
    }
  }
  printf("%d\n", total > 0);
}
