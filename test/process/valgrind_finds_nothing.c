// memcheck has no complaint about a program that uses regions, loops, tasks, dependences, locks, nested regions and
// deep task trees (which run on the runtime's own stacks), nor about a child that it forks.
// REQUIRES: valgrind
// UNSUPPORTED: sanitizer-address, sanitizer-thread
// RUN: %clang-openmp -O1 %s -o %t
// RUN: %library-path OMP_NUM_THREADS=3 OMP_STACKSIZE=256K timeout 200 valgrind -q --error-exitcode=99 --trace-children=no %t > %t.out 2>&1
// RUN: not grep "^==" %t.out
#include "support/children.h"
#include "support/regions.h"

static long nest(int depth) {
  volatile char frame[2000];
  long below = 0;
  frame[0] = (char)depth;
  if (depth == 0) return 0;
#pragma omp task shared(below)
  below = nest(depth - 1);
#pragma omp taskwait
  return below + 1 + (frame[0] != (char)depth);
}

int main(void) {
  long chain = 0, deep = 0;
  use_openmp(0);
#pragma omp parallel
#pragma omp single
  {
    for (int i = 0; i < 50; i++)
#pragma omp task depend(inout : chain) firstprivate(i)
      chain = chain == i ? i + 1 : -1;
#pragma omp taskwait
    deep = nest(300);
  }
  CHECK_EQ(chain, 50);
  CHECK_EQ(deep, 300);
  omp_set_max_active_levels(2);
#pragma omp parallel num_threads(2)
  use_openmp(2);
  pid_t child = fork_checked();
  if (child == 0) {
    use_openmp(0);
    _exit(0);
  }
  expect_status(child, 0);
  return 0;
}
