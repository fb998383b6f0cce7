// Tasks, taskwait, taskgroup, taskyield, dependences and reductions outside any parallel region, in orphaned functions,
// and in serialised regions.
// RUN: %clang-openmp %s -o %t && %for-threads %t
#include "support/check.h"
#include <omp.h>

static long fib(int n) {
  long a, b;
  if (n < 2) return n;
#pragma omp task shared(a)
  a = fib(n - 1);
#pragma omp task untied shared(b)
  b = fib(n - 2);
#pragma omp taskwait
  return a + b;
}

static void everything(void) {
#pragma omp taskwait
  CHECK_EQ(fib(10), 55);
  long x = 0, sum = 0;
  for (int i = 0; i < 10; i++)
#pragma omp task depend(inout : x) shared(x) firstprivate(i)
    x = x == i ? i + 1 : -1;
#pragma omp taskwait depend(in : x)
  CHECK_EQ(x, 10);
#pragma omp taskgroup task_reduction(+ : sum)
  for (int i = 0; i < 10; i++)
#pragma omp task in_reduction(+ : sum)
    sum++;
  CHECK_EQ(sum, 10);
#pragma omp taskloop reduction(+ : sum)
  for (int i = 0; i < 10; i++) sum++;
  CHECK_EQ(sum, 20);
#pragma omp taskyield
}

int main(void) {
  everything();
  CHECK_EQ(omp_get_num_threads(), 1);
#pragma omp parallel if (0)
  everything();
#pragma omp parallel num_threads(1)
  everything();
#pragma omp parallel
  everything();
  everything();
  return 0;
}
