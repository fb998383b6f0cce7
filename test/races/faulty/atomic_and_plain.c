// A planted fault: one thread reads without atomic what others update with it.
// RUN: %chomp-cc %s -o %t
// RUN: not %chomp-explore --seconds 60 %t 2>&1 | FileCheck %s
// CHECK: data race: `counter`
// CHECK: atomically
#include <stdio.h>

static int counter;

int main(void) {
  int seen = 0;
#pragma omp parallel num_threads(2)
  {
#pragma omp atomic
    counter++;
#pragma omp master
    seen = counter;
  }
  printf("%d\n", seen > 0);
}
