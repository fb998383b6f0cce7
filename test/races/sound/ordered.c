// Without a fault: ordered regions, in turn.
// RUN: %chomp-cc -O2 %s -o %t
// RUN: %chomp-explore --runs 100 --seconds 0 %t 2>&1 | FileCheck %s
// CHECK: nothing found
#include <stdio.h>

int main(void) {
  int last = 0, sum = 0;
#pragma omp parallel for ordered schedule(dynamic, 1) num_threads(3)
  for (int i = 1; i < 9; ++i) {
#pragma omp ordered
    {
      sum += last * i;
      last = i;
    }
  }
  printf("%d\n", sum);
}
