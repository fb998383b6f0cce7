// A planted fault: the sum of a loop is shared.
// RUN: %chomp-cc %s -o %t
// RUN: not %chomp-explore --seconds 60 %t 2>&1 | FileCheck %s
// CHECK: data race: a local variable
#include <stdio.h>

int main(void) {
  int sum = 0;
#pragma omp parallel for
  for (int i = 0; i < 12; ++i) sum += i;
  printf("%d\n", sum >= 0);
}
