// A planted fault: all threads count in one variable.
// RUN: %chomp-cc %s -o %t
// RUN: not %chomp-explore --seconds 60 %t 2>&1 | FileCheck %s
// CHECK: data race: `counter`
// CHECK: thread {{[0-9]}} of the parallel region at counter_without_atomic.c
// CHECK: No barrier stands between
#include <stdio.h>

static int counter;

int main(void) {
#pragma omp parallel
  counter++;
  printf("%d\n", counter > 0);
}
