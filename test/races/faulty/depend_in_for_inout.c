// A planted fault: two tasks that write say that they read.
// RUN: %chomp-cc %s -o %t
// RUN: not %chomp-explore --seconds 60 %t 2>&1 | FileCheck %s
// CHECK: data race: `total`
#include <stdio.h>

static int total;

int main(void) {
#pragma omp parallel
#pragma omp single
  {
    for (int i = 0; i < 4; ++i) {
#pragma omp task depend(in : total)
      total += i;
    }
  }
  printf("%d\n", total >= 0);
}
