// Waiting never overflows the stack: twenty thousand tasks, each waiting for its child, with little stack per thread.
// libomp 19 crashes.
// RUN: %clang-openmp %s -o %t && env OMP_STACKSIZE=256K %for-threads %t
#include "support/check.h"

static long nest(int depth) {
  if (depth == 0) return 0;
  long below = -1;
  volatile char frame[1000];
  frame[0] = (char)depth;
#pragma omp task shared(below)
  below = nest(depth - 1);
#pragma omp taskwait
  CHECK_EQ(frame[0], (char)depth);
  return below + 1;
}

int main(void) {
  enum { kDepth = SCALED(20000) };
  long depth = 0;
#pragma omp parallel
#pragma omp single nowait
#pragma omp task shared(depth)
  depth = nest(kDepth);
  CHECK_EQ(depth, kDepth);
  return 0;
}
