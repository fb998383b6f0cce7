// Without a fault: tasks that take part in a reduction.
// RUN: %chomp-cc -O2 %s -o %t
// RUN: %chomp-explore --runs 100 --seconds 0 %t 2>&1 | FileCheck %s
// CHECK: nothing found
#include <stdio.h>

int main(void) {
  int sum = 0;
#pragma omp parallel
#pragma omp single
  {
#pragma omp taskgroup task_reduction(+ : sum)
    {
      for (int i = 0; i < 8; ++i) {
#pragma omp task in_reduction(+ : sum)
        sum += i;
      }
    }
  }
  printf("%d\n", sum);
}
