// A planted fault: the function returns before its task has used the variable.
// RUN: %chomp-cc %s -o %t
// RUN: not %chomp-explore --seconds 60 %t 2>&1 | FileCheck %s
// RUN: %chomp-cc -O2 %s -o %t
// RUN: not %chomp-explore --seconds 60 %t 2>&1 | FileCheck %s
// RUN: %chomp-gcc -O2 %s -o %t
// RUN: not %chomp-explore --seconds 60 %t 2>&1 | FileCheck %s
// CHECK: {{use after scope|data race}}: a local variable
#include <stdio.h>

static int sum;

static void add(int value) {
  int twice[2] = {value, value};
#pragma omp task shared(twice)
  {
#pragma omp atomic
    sum += twice[0] + twice[1];
  }
}

int main(void) {
#pragma omp parallel
#pragma omp single
  {
    for (int i = 0; i < 4; ++i) add(i);
  }
  printf("%d\n", sum >= 0);
}
