// Untied tasks made undeferred by if(0) or if(expression) run to their end before the creator goes on, whatever
// scheduling points their bodies hold: children, taskwait, taskgroup, taskyield, dependences, more undeferred tasks.
// RUN: %clang-openmp %s -o %t && %for-threads %t
// At -O0 Clang 19 itself crashes or never ends on a pragma that directly follows another inside an untied task.
// RUN: %clang-openmp -O0 -DPLAIN %s -o %t && %for-threads %t
#include "support/check.h"

static long tree(int depth, int never) {
  if (depth == 0) return 1;
  long a = 0, b = 0, c = 0;
  int done = 0, x = 0;
#pragma omp task untied if (0) shared(a, done)
  {
    long p = 0, q = 0;
#pragma omp task untied shared(p)
    p = tree(depth - 1, never);
#pragma omp taskyield
#pragma omp task shared(q)
    q = 1;
#pragma omp taskwait
    CHECK_EQ(q, 1);
    a = p;
    done = 1;
  }
  CHECK_EQ(done, 1);
#pragma omp task untied if (never) shared(b, done)
  {
    long p = 0;
#ifdef PLAIN
#pragma omp task untied shared(p)
    p = tree(depth - 1, never);
#pragma omp taskwait
#else
#pragma omp taskgroup
    {
#pragma omp task untied shared(p)
#pragma omp task shared(p)
      p = tree(depth - 1, never);
    }
#endif
#pragma omp task untied if (never) shared(b)
    b = p;
    done = 2;
  }
  CHECK_EQ(done, 2);
#pragma omp task untied depend(out : x) shared(x)
  x = 1;
#pragma omp task untied depend(inout : x) if (never) shared(x, c, done)
  {
    CHECK_EQ(x, 1);
    long p = 0;
#pragma omp task shared(p)
    p = tree(depth - 1, never);
#pragma omp taskwait
    c = p;
    x = 2;
    done = 3;
  }
  CHECK_EQ(done, 3);
#pragma omp task untied depend(in : x) if (1) shared(x)
  CHECK_EQ(x, 2);
#pragma omp taskwait
  return a + b + c;
}

int main(int argc, char** argv) {
  const int depth = SCALED(16) == 16 ? 6 : 4;
  long result = 0, expected = 1;
  for (int i = 0; i < depth; i++) expected *= 3;
#pragma omp parallel
#pragma omp single
  result = tree(depth, argc > 100);
  CHECK_EQ(result, expected);
  CHECK_EQ(tree(3, argc > 100), 27); // outside any region
  return 0;
}
