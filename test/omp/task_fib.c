// Fine-grained recursion, tied and untied, gives exact answers.
// RUN: %clang-openmp %s -o %t && %for-threads %t
#include "support/check.h"
#include "support/fib.h"

int main(void) {
  int n = sizeof(int[SCALED(16)]) == sizeof(int[16]) ? 23 : 17;
  long a = 0, b = 0;
#pragma omp parallel
#pragma omp single
  {
    a = fib_tied(n);
    b = fib_untied(n);
  }
  CHECK_EQ(a, fib_serial(n));
  CHECK_EQ(b, fib_serial(n));
  return 0;
}
