// A planted fault: the sum is made before the child has ended.
// RUN: %chomp-cc %s -o %t
// RUN: not %chomp-explore --seconds 60 %t 2>&1 | FileCheck %s
// CHECK: {{data race|use after scope}}: a local variable
// CHECK: in the task made at
// CHECK: is a `taskwait` missing
#include <stdio.h>

static long fib(int n) {
  long a = 0, b = 0;
  if (n < 2) return n;
#pragma omp task shared(a)
  a = fib(n - 1);
  b = fib(n - 2);
  return a + b;
}

int main(void) {
  long result = 0;
#pragma omp parallel
#pragma omp single
  result = fib(6);
  printf("%ld\n", result);
}
