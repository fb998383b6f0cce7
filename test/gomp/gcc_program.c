// A program compiled by GCC, whose calls are GOMP_*, runs on this library: regions, loops, tasks, dependences,
// taskgroups, reductions, sections, locks.
// libomp 19 stops with a failed assertion in a team of two or more.
// REQUIRES: gomp
// RUN: %gcc-openmp %s -o %t && %for-threads %t
#include "support/check.h"
#include "support/process.h"
#include <omp.h>

static long fib(int n) {
  long a, b;
  if (n < 2) return n;
#pragma omp task shared(a)
  a = fib(n - 1);
#pragma omp task untied shared(b) if (n > 5)
  b = fib(n - 2);
#pragma omp taskwait
  return a + b;
}

int main(void) {
  CHECK_EQ(mapped_files("libomp", 0, 0), 1);
  CHECK_EQ(mapped_files("libgomp", 0, 0), 0);
  long result = 0, sum = 0, ordered = 0, x = 0, group = 0;
  int threads = 0, sections = 0, singles = 0;
#pragma omp parallel reduction(+ : threads)
  {
    threads++;
#pragma omp single
    result = fib(15);
#pragma omp single
    for (int i = 0; i < 50; i++)
#pragma omp task depend(inout : x) firstprivate(i)
      x = x == i ? i + 1 : -1;
#pragma omp for schedule(dynamic, 3) reduction(+ : sum)
    for (int i = 0; i < 1000; i++) sum += i;
#pragma omp for schedule(guided) reduction(+ : sum)
    for (unsigned long long i = 0; i < 1000; i++) sum += (long)i;
#pragma omp for schedule(runtime) reduction(+ : sum)
    for (int i = 1000; i > 0; i--) sum += i - 1;
#pragma omp for ordered schedule(static, 2)
    for (int i = 0; i < 100; i++) {
#pragma omp ordered
      ordered = ordered == i ? i + 1 : -1;
    }
#pragma omp sections
    {
#pragma omp section
      ATOMIC_ADD(sections, 1);
#pragma omp section
      ATOMIC_ADD(sections, 2);
    }
#pragma omp single
    singles++;
#pragma omp critical
    group += 0;
#pragma omp master
    {
#pragma omp taskgroup
      for (int i = 0; i < 20; i++)
#pragma omp task shared(group)
#pragma omp task shared(group)
        ATOMIC_ADD(group, 1);
      CHECK_EQ(ATOMIC_LOAD(group), 20);
#pragma omp taskloop num_tasks(7)
      for (int i = 0; i < 80; i++) ATOMIC_ADD(group, 1);
    }
  }
  CHECK_EQ(threads, omp_get_max_threads());
  CHECK_EQ(result, 610);
  CHECK_EQ(x, 50);
  CHECK_EQ(sum, 3 * 499500);
  CHECK_EQ(ordered, 100);
  CHECK_EQ(sections, 3);
  CHECK_EQ(singles, 1);
  CHECK_EQ(group, 100);
  return 0;
}
