// Taskgroups nest: in one task, and inside tied and untied tasks that belong to outer groups, all threads at once.
// libomp 19 makes no progress here with three threads or more under its scheduling constraint.
// RUN: %clang-openmp %s -o %t && %for-threads %t
#include "support/check.h"
#include <omp.h>

static long tree(int depth) {
  if (depth == 0) return 1;
  long a = 0, b = 0, c = 0;
#pragma omp taskgroup
  {
#pragma omp task shared(a)
    a = tree(depth - 1);
#pragma omp task untied shared(b)
    b = tree(depth - 1);
#pragma omp taskgroup
    {
#pragma omp task shared(c)
#pragma omp task shared(c)
      c = tree(depth - 1);
    }
    CHECK(c > 0);
  }
  return a + b + c;
}

int main(void) {
  const int depth = SCALED(16) == 16 ? 7 : 4;
  long expected = 1;
  for (int i = 0; i < depth; i++) expected *= 3;
#pragma omp parallel
  {
    CHECK_EQ(tree(3), 27); // by each implicit task
#pragma omp single
    CHECK_EQ(tree(depth), expected);
  }
  return 0;
}
