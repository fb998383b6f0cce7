// An exception may be thrown and caught inside a task that runs far above its creator's stack, at every depth, and the
// tasks below are as they were.
// RUN: %clangxx-openmp %s -o %t && env OMP_STACKSIZE=256K %for-threads -t "1 2 8" %t
#include "support/check.h"
#include <stdexcept>

static int destroyed;

struct Guard {
  ~Guard() { destroyed++; }
};

static __attribute__((noinline)) void thrower(int depth) {
  Guard guard;
  if (depth == 0) throw std::runtime_error("expected");
  thrower(depth - 1);
}

static int caught;

static void nest(int depth) {
  volatile char frame[4000];
  frame[0] = static_cast<char>(depth);
  if (depth > 0) {
#pragma omp task
    nest(depth - 1);
#pragma omp taskwait
  }
  try {
    thrower(3);
  } catch (const std::runtime_error&) {
    caught++;
  }
  CHECK_EQ(frame[0], static_cast<char>(depth));
}

int main() {
  enum { kDepth = SCALED(5000) };
#pragma omp parallel
#pragma omp single nowait
#pragma omp task
  nest(kDepth);
  CHECK_EQ(caught, kDepth + 1);
  CHECK_EQ(destroyed, 4 * caught);
  return 0;
}
