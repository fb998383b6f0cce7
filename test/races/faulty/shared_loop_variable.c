// A planted fault: the tasks share what should be firstprivate.
// RUN: %chomp-cc %s -o %t
// RUN: not %chomp-explore --seconds 60 %t 2>&1 | FileCheck %s
// CHECK: data race: a local variable
#include <stdio.h>

static int u[16];

int main(void) {
  int i = 0;
#pragma omp parallel
#pragma omp single
  {
    for (i = 0; i < 4; ++i) {
#pragma omp task shared(i)
      u[8] = i < 16;
    }
  }
  printf("%d\n", u[8]);
}
