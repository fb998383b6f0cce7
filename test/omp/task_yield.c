// taskyield, in tied and untied tasks and under deep nesting, loses nothing and keeps taskwait's promise.
// RUN: %clang-openmp %s -o %t && %for-threads %t
#include "support/check.h"

static long count;

static long tree(int depth) {
  if (depth == 0) {
    ATOMIC_ADD(count, 1);
    return 1;
  }
  long a = 0, b = 0;
#pragma omp task shared(a)
  {
#pragma omp taskyield
    a = tree(depth - 1);
#pragma omp taskyield
  }
#pragma omp task untied shared(b)
  {
    long local = depth;
#pragma omp taskyield
    CHECK_EQ(local, depth);
    b = tree(depth - 1);
#pragma omp taskyield
    CHECK_EQ(local, depth);
  }
#pragma omp taskyield
#pragma omp taskwait
  CHECK(a > 0 && b > 0);
  return a + b;
}

int main(void) {
#pragma omp taskyield // outside any region
#pragma omp parallel
  {
#pragma omp taskyield
#pragma omp single
    CHECK_EQ(tree(SCALED(16) == 16 ? 10 : 7), SCALED(16) == 16 ? 1024 : 128);
  }
  CHECK_EQ(count, SCALED(16) == 16 ? 1024 : 128);
  return 0;
}
