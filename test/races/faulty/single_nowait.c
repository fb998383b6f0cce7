// A planted fault: the others go on before the single has ended.
// RUN: %chomp-cc %s -o %t
// RUN: not %chomp-explore --seconds 60 %t 2>&1 | FileCheck %s
// CHECK: data race: `table[
#include <stdio.h>

static int table[4];

int main(void) {
  int sum = 0;
#pragma omp parallel num_threads(2) reduction(+ : sum)
  {
#pragma omp single nowait
    for (int i = 0; i < 4; ++i) table[i] = i;
    sum += table[3];
  }
  printf("%d\n", sum >= 0);
}
