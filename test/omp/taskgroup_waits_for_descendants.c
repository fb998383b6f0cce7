// The end of a taskgroup waits for all descendants, also those nobody ever waits for, and for no others.
// RUN: %clang-openmp %s -o %t && %for-threads %t
#include "support/check.h"

static long count;

static void forget(int depth) {
  if (depth == 0) {
    burn(100);
    ATOMIC_ADD(count, 1);
    return;
  }
#pragma omp task
  forget(depth - 1);
#pragma omp task untied
  forget(depth - 1);
#pragma omp task if (depth % 2)
  forget(depth - 1);
}

static long power3(int n) { return n ? 3 * power3(n - 1) : 1; }

int main(void) {
  enum { kDepth = 7 };
  long flat[1000] = {0};
#pragma omp parallel
#pragma omp single
  for (int round = 0; round < SCALED(16); round++) {
    ATOMIC_STORE(count, 0);
#pragma omp taskgroup
    forget(kDepth);
    CHECK_EQ(ATOMIC_LOAD(count), power3(kDepth));

#pragma omp taskgroup
    for (int i = 0; i < 1000; i++)
#pragma omp task firstprivate(i) shared(flat)
#pragma omp task firstprivate(i) shared(flat)
      flat[i] = i + round;
    for (int i = 0; i < 1000; i++) CHECK_EQ(flat[i], i + round);
#pragma omp taskgroup
    {
    } // empty
  }
  return 0;
}
