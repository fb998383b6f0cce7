// A planted fault: the last task to run decides the result: no race, but no answer either.
// RUN: %chomp-cc %s -o %t
// RUN: not %chomp-explore --seconds 60 %t 2>&1 | FileCheck %s
// CHECK: wrong output: line 1
// CHECK-NEXT: in the order {{.*}}: {{[0-9]}}
#include <stdio.h>

int main(void) {
  int last = 0;
#pragma omp parallel
#pragma omp single
  {
    for (int i = 0; i < 6; ++i) {
#pragma omp task firstprivate(i) shared(last)
      {
#pragma omp critical
        last = i;
      }
    }
  }
  printf("%d\n", last);
}
