// Fine-grained recursion, tied and untied, gives exact answers.
// RUN: %clang-openmp %s -o %t && %for-threads %t
#include "support/check.h"

static long serial(int n) { return n < 2 ? n : serial(n - 1) + serial(n - 2); }

static long tied(int n) {
  long a, b;
  if (n < 2) return n;
#pragma omp task shared(a)
  a = tied(n - 1);
#pragma omp task shared(b)
  b = tied(n - 2);
#pragma omp taskwait
  return a + b;
}

static long untied(int n) {
  long a, b;
  if (n < 2) return n;
#pragma omp task untied shared(a)
  a = untied(n - 1);
#pragma omp task untied shared(b)
  b = untied(n - 2);
#pragma omp taskwait
  return a + b;
}

int main(void) {
  int n = sizeof(int[SCALED(16)]) == sizeof(int[16]) ? 23 : 17;
  long a = 0, b = 0;
#pragma omp parallel
#pragma omp single
  {
    a = tied(n);
    b = untied(n);
  }
  CHECK_EQ(a, serial(n));
  CHECK_EQ(b, serial(n));
  return 0;
}
