// Taskgroups wait for all that they should wait for.
// RUN: %clang-openmp %s -o %t && %for-threads %t
#include "support/check.h"
#include <omp.h>

// The end of a taskgroup waits for all descendants, also those nobody ever waits for, and for no others.
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

static void waits_for_descendants(void) {
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
}

// Taskgroups nest: in one task, and inside tied and untied tasks that belong to outer groups, all threads at once.
// libomp 19 makes no progress here with three threads or more under its scheduling constraint.
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

static void nested(void) {
  const int depth = SCALED(16) == 16 ? 7 : 4;
  long expected = 1;
  for (int i = 0; i < depth; i++) expected *= 3;
#pragma omp parallel
  {
    CHECK_EQ(tree(3), 27); // by each implicit task
#pragma omp single
    CHECK_EQ(tree(depth), expected);
  }
}

int main(void) {
  waits_for_descendants();
  nested();
  return 0;
}
