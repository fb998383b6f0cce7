// A planted fault: the use of the variable stands before the ordered region.
// RUN: %chomp-cc %s -o %t
// RUN: not %chomp-explore --seconds 60 %t 2>&1 | FileCheck %s
// CHECK: data race: a local variable
#include <stdio.h>

int main(void) {
  int last = 0, sum = 0;
#pragma omp parallel for ordered schedule(static, 1) num_threads(3) reduction(+ : sum)
  for (int i = 1; i < 9; ++i) {
    sum += last;
#pragma omp ordered
    last = i;
  }
  printf("%d\n", sum >= 0);
}
