// Priorities change the order at most: everything still runs once, children are still waited for, and in one thread a
// task of higher priority is not lost behind many of lower. With and without OMP_MAX_TASK_PRIORITY.
// libomp 19 makes no progress with OMP_MAX_TASK_PRIORITY and its scheduling constraint.
// RUN: %clang-openmp %s -o %t && %for-threads %t && env OMP_MAX_TASK_PRIORITY=10 %for-threads %t
#include "support/check.h"
#include <omp.h>

int main(void) {
  const char* most = getenv("OMP_MAX_TASK_PRIORITY");
  CHECK_EQ(omp_get_max_task_priority(), most ? atoi(most) : 0);
  enum { kTasks = 2000 };
  long sum = 0, below = 0;
  int x = 0;
#pragma omp parallel
#pragma omp single
  {
    for (int i = 0; i < kTasks; i++)
#pragma omp task priority(i % 13) firstprivate(i) shared(sum, below)
    {
      int children = 0;
      for (int k = 0; k < 3; k++)
#pragma omp task priority(k * 5) shared(children)
        ATOMIC_ADD(children, 1);
#pragma omp taskwait
      CHECK_EQ(ATOMIC_LOAD(children), 3);
      ATOMIC_ADD(sum, i);
#pragma omp task untied priority(12 - i % 13) shared(below)
      ATOMIC_ADD(below, 1);
    }
    for (int i = 0; i < 100; i++) // dependences win over priorities
#pragma omp task priority(i) depend(inout : x) firstprivate(i)
      x = x == i ? i + 1 : -1;
  }
  CHECK_EQ(sum, kTasks * (kTasks - 1) / 2);
  CHECK_EQ(below, kTasks);
  CHECK_EQ(x, 100);
  return 0;
}
