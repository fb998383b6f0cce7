// Without a fault: tasks that take part in reductions, of an array section too.
// RUN: %chomp-cc -O2 %s -o %t
// RUN: %chomp-explore --runs 100 --seconds 0 %t 2>&1 | FileCheck %s
// CHECK: nothing found
#include <stdio.h>

int main(void) {
  int sum = 0;
  long array[5] = {0};
#pragma omp parallel
#pragma omp single
#pragma omp taskgroup task_reduction(+ : sum) task_reduction(+ : array[0 : 5])
  {
    for (int i = 0; i < 40; ++i) {
#pragma omp task in_reduction(+ : sum) in_reduction(+ : array[0 : 5])
      {
        sum += i;
        array[i % 5] += i;
#pragma omp task in_reduction(+ : sum)
        sum += 1;
      }
    }
  }
  printf("%d %ld\n", sum, array[4]);
}
