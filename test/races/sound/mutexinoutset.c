// Without a fault: tasks that exclude each other in any order.
// RUN: %chomp-cc -O2 %s -o %t
// RUN: %chomp-explore --runs 100 --seconds 0 %t 2>&1 | FileCheck %s
// CHECK: nothing found
#include <stdio.h>

int main(void) {
  int sum = 0;
#pragma omp parallel
#pragma omp single
  {
    for (int i = 0; i < 6; ++i) {
#pragma omp task depend(mutexinoutset : sum) shared(sum)
      sum += i;
    }
#pragma omp task depend(in : sum) shared(sum)
    printf("%d\n", sum);
  }
}
