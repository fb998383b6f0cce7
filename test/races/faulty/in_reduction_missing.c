// A planted fault: one of the tasks adds to the original variable.
// RUN: %chomp-cc %s -o %t
// RUN: not %chomp-explore --seconds 60 %t 2>&1 | FileCheck %s
// CHECK: data race: a local variable
#include <stdio.h>

int main(void) {
  int sum = 0;
#pragma omp parallel
#pragma omp single
  {
#pragma omp taskgroup task_reduction(+ : sum)
    {
#pragma omp task in_reduction(+ : sum)
      sum += 1;
#pragma omp task shared(sum)
      sum += 2;
#pragma omp task shared(sum)
      sum += 4;
    }
  }
  printf("%d\n", sum > 0);
}
