// The timeline, read by the public schema, has as many tasks, regions and constructs as the program made, under the
// lines where they stand; its slices nest; and its sums are those of the counters.
// REQUIRES: perfetto
// RUN: %clang-openmp -g %s -o %t
// RUN: %library-path %python %S/check_trace %build %t 1
// RUN: %library-path %python %S/check_trace %build %t 2
// RUN: %library-path %python %S/check_trace %build %t 5
// RUN: %library-path %python %S/check_trace %build %t 5 --slices 500
// RUN: %if gomp %{ %gcc-openmp -g %s -o %t.gcc && %library-path %python %S/check_trace %build %t.gcc 3 %}
#include <omp.h>
#include <stdio.h>

#include "support/check.h"

static int fib(int n) {
  int x, y;
  if (n < 2) return n;
#pragma omp task shared(x) // line task-1
  x = fib(n - 1);
#pragma omp task shared(y) // line task-2
  y = fib(n - 2);
#pragma omp taskwait // line taskwait
  return x + y;
}

int main(void) {
  omp_lock_t lock;
  omp_init_lock(&lock);
  int result = 0, sum = 0;
  for (int round = 0; round < 3; ++round) {
#pragma omp parallel // line region-1
#pragma omp single
    result = fib(14);
#pragma omp parallel // line region-2
    {
#pragma omp for schedule(dynamic, 4) // line loop
      for (int i = 0; i < 100; ++i) {
        omp_set_lock(&lock); // line lock
        ++sum;
        omp_unset_lock(&lock);
      }
#pragma omp for schedule(static) nowait
      for (int i = 0; i < 100; ++i) {
#pragma omp critical // line critical
        ++sum;
      }
    }
#pragma omp parallel // line region-3
#pragma omp single
#pragma omp taskloop num_tasks(10) // line taskloop
    for (int i = 0; i < 100; ++i) {
#pragma omp atomic
      ++sum;
    }
  }
  CHECK_EQ(result, 377);
  CHECK_EQ(sum, 900);
  omp_destroy_lock(&lock);
  return 0;
}
