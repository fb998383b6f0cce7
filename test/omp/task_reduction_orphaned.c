// in_reduction of a variable at file scope by tasks that are made in another function than the construct that reduces
// it: they name the original, not the private copy. The construct is a taskgroup, a parallel region, a loop, sections
// or a taskloop; the tasks have descendants that name it, too. libomp 19 aborts.
// RUN: %clang-openmp %s -o %t && %for-threads %t
// RUN: env OMP_CANCELLATION=true %for-threads -t "1 3" %t
#include "support/check.h"

static long sum, array[3];

static void contribute(int descendants) {
#pragma omp task in_reduction(+ : sum, array) firstprivate(descendants)
  {
    sum++;
    array[descendants % 3] += descendants;
    if (descendants > 0) {
      contribute(descendants - 1);
#pragma omp task in_reduction(+ : sum) // of the task's own copy
      sum++;
#pragma omp taskwait
    }
  }
}
enum { kDescendants = 4, kEach = 2 * kDescendants + 1 };

static void check_and_clear(long calls) {
  CHECK_EQ(sum, calls * kEach);
  CHECK_EQ(array[0], calls * 3);
  CHECK_EQ(array[1], calls * (1 + 4));
  CHECK_EQ(array[2], calls * 2);
  sum = array[0] = array[1] = array[2] = 0;
}

static void in_group(void) {
#pragma omp taskgroup task_reduction(+ : sum, array)
  for (int i = 0; i < 10; i++) contribute(kDescendants);
}

int main(void) {
  for (int round = 0; round < SCALED(40); round++) {
    long threads = 0;
    in_group();
    check_and_clear(10);
#pragma omp parallel reduction(task, + : sum, array) reduction(+ : threads)
    {
      threads++;
      contribute(kDescendants);
    }
    check_and_clear(threads);
#pragma omp parallel
    {
#pragma omp for reduction(task, + : sum, array)
      for (int i = 0; i < 20; i++) contribute(kDescendants);
#pragma omp sections reduction(task, + : sum, array)
      {
        contribute(kDescendants);
#pragma omp section
        contribute(kDescendants);
      }
#pragma omp masked
#pragma omp taskloop reduction(+ : sum, array) num_tasks(5)
      for (int i = 0; i < 20; i++) contribute(kDescendants);
#pragma omp barrier
#pragma omp single
      in_group();
    }
    check_and_clear(20 + 2 + 20 + 10);
  }
  return 0;
}
