// Every task has room for its own locals, however many tasks are suspended below it: a leaf with a megabyte of them
// under a hundred thousand nested tasks, with the default stack sizes. libomp 19 crashes.
// RUN: %clang-openmp %s -o %t && %for-threads -t "1 2 8" %t
#include "support/check.h"
#include <string.h>

enum { kDepth = SCALED(100000), kLocal = 1 << 20 };

static __attribute__((noinline)) long leaf(void) {
  volatile char local[kLocal];
  memset((char*)local, 1, sizeof local);
  long sum = 0;
  for (int i = 0; i < kLocal; i += 4096) sum += local[i];
  return sum;
}

static long nest(int depth) {
  long below = -1;
  if (depth == 0) return leaf();
#pragma omp task shared(below)
  below = nest(depth - 1);
#pragma omp taskwait
  return below;
}

int main(void) {
  long sum = 0;
#pragma omp parallel
#pragma omp single nowait
#pragma omp task shared(sum)
  sum = nest(kDepth);
  CHECK_EQ(sum, kLocal / 4096);
  return 0;
}
