// A planted fault: the reader of u[3] names no dependence.
// RUN: %chomp-cc %s -o %t
// RUN: not %chomp-explore --seconds 60 %t 2>&1 | FileCheck %s
// CHECK: data race: `u[3]`
// CHECK: depend_missing.c:{{[0-9]+}} {{writes|reads}} it, in the task made at
// CHECK: depend_missing.c:{{[0-9]+}} {{writes|reads}} it, in the task made at
// CHECK: no `depend` clauses
#include <stdio.h>

static int u[16];

int main(void) {
#pragma omp parallel
#pragma omp single
  {
#pragma omp task depend(out : u[3])
    u[3] = 1;
#pragma omp task depend(out : u[4])
    u[4] = u[3] + 1;
  }
  printf("%d\n", u[4] > 0);
}
