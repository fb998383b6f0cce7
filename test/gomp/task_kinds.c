// Untied, final, mergeable, undeferred and prioritised tasks: each runs once, in the context that the clauses ask for,
// and their children are waited for.
// REQUIRES: gomp
// RUN: %gcc-openmp %s -o %t && %for-threads %t && env OMP_MAX_TASK_PRIORITY=10 %for-threads %t
#include "support/check.h"
#include <omp.h>

static long count(int depth, int kind) {
  long a = 0, b = 0;
  if (depth == 0) return 1;
  switch (kind % 5) {
  case 0:
#pragma omp task untied shared(a)
    a = count(depth - 1, kind + 1);
#pragma omp task shared(b) priority(depth)
    b = count(depth - 1, kind + 2);
    break;
  case 1:
#pragma omp task if (0) shared(a)
    a = count(depth - 1, kind + 1);
    CHECK(a != 0);
#pragma omp task mergeable shared(b) if (depth > 2)
    b = count(depth - 1, kind + 3);
    break;
  case 2:
#pragma omp task final(depth < 3) shared(a) firstprivate(depth)
  {
    CHECK(depth >= 3 || omp_in_final());
    a = count(depth - 1, kind);
  }
#pragma omp task untied if (0) shared(b)
    {
#pragma omp taskyield
      b = count(depth - 1, kind + 1);
    }
    break;
  case 3:
#pragma omp taskgroup
  {
#pragma omp task untied mergeable shared(a) priority(1)
#pragma omp task shared(a)
    a = count(depth - 1, kind + 1);
  }
    CHECK(a != 0);
    b = count(depth - 1, kind);
    break;
  default: {
    int thread = omp_get_thread_num();
#pragma omp task shared(a) if (0)
    {
      CHECK_EQ(omp_get_thread_num(), thread);
#pragma omp task shared(a)
      a = count(depth - 1, kind + 2);
#pragma omp taskwait
    }
#pragma omp task shared(b) final(1)
    {
      int inner = 0;
#pragma omp task shared(inner)
      inner = 1;
      CHECK(inner == 1 && omp_in_final()); // included
      b = count(depth - 1, kind + 1);
    }
  }
  }
#pragma omp taskwait
  return a + b;
}

int main(void) {
  for (int round = 0; round < SCALED(80); round++) {
    long result = 0;
#pragma omp parallel
#pragma omp single
    result = count(8, round);
    CHECK_EQ(result, 256);
  }
  CHECK_EQ(count(6, 0), 64);
  return 0;
}
