// Without a fault: a sum of two children, waited for.
// RUN: %chomp-cc -O2 %s -o %t
// RUN: %chomp-explore --runs 100 --seconds 0 %t 2>&1 | FileCheck %s
// CHECK: nothing found
#include <stdio.h>

static long fib(int n) {
  long a = 0, b = 0;
  if (n < 2) return n;
#pragma omp task shared(a)
  a = fib(n - 1);
#pragma omp task shared(b)
  b = fib(n - 2);
#pragma omp taskwait
  return a + b;
}

int main(void) {
  long result = 0;
#pragma omp parallel
#pragma omp single
  result = fib(6);
  printf("%ld\n", result);
}
