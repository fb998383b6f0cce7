// A region that is cancelled beside a loop with reduction(task, …) leaves nothing of it to the next region: neither
// sums nor copies of another size, and no memory. A task of such a loop that cancels its taskgroup cancels the
// program's, not one that the loop has made.
// RUN: %clang-openmp %s -o %t && env OMP_CANCELLATION=true %for-threads %t
// RUN: %if gomp %{ %gcc-openmp %s -o %t.gcc && env OMP_CANCELLATION=true %for-threads %t.gcc %}
#include "support/check.h"
#include <omp.h>

static long sum;
static int wide[40];

/// The last member leaves before the loop, the others may be anywhere in it.
static void cancelled(void) {
  sum = 0;
#pragma omp parallel
  {
#pragma omp cancel parallel if (omp_get_thread_num() == omp_get_num_threads() - 1)
#pragma omp for reduction(task, + : sum) schedule(dynamic)
    for (int i = 0; i < 40; i++) {
#pragma omp task in_reduction(+ : sum)
      sum += 1000000;
    }
  }
}

__attribute__((unused)) static void cancelled_inside(void) {
  sum = 0;
#pragma omp parallel
  {
#pragma omp for reduction(task, + : sum) schedule(dynamic)
    for (int i = 0; i < 40; i++) {
#pragma omp task in_reduction(+ : sum)
      sum += 1000000;
#pragma omp cancel for if (i == 7)
    }
  }
}

static void whole(void) {
  sum = 0;
  for (int i = 0; i < 40; i++) wide[i] = 0;
#pragma omp parallel
  {
#pragma omp for reduction(task, + : wide) reduction(task, + : sum) schedule(dynamic)
    for (int i = 0; i < 40; i++) {
#pragma omp task in_reduction(+ : wide) in_reduction(+ : sum)
      {
        sum += 1;
        for (int k = 0; k < 40; k++) wide[k] += 1;
      }
    }
  }
  CHECK_EQ(sum, 40);
  for (int i = 0; i < 40; i++) CHECK_EQ(wide[i], 40);
}

/// The group around the loop is the one that is cancelled: its other tasks do not begin.
static void taskgroup_around(void) {
  int after = 0;
#pragma omp parallel num_threads(1)
  {
#pragma omp taskgroup
    {
#pragma omp for reduction(task, + : sum)
      for (int i = 0; i < 1; i++) {
#pragma omp task if (0)
        {
#pragma omp cancel taskgroup
        }
      }
#pragma omp task shared(after)
      after++;
    }
  }
  CHECK_EQ(after, 0);
}

int main(void) {
  CHECK(omp_get_cancellation());
  for (int round = 0; round < SCALED(480); round++) {
    cancelled();
    if (round % 16 == 0) whole();
#ifndef __clang__ // whose code leaves such a loop without the barrier that its reduction has, and hangs anywhere
    cancelled_inside();
#endif
    if (round % 16 == 1) whole();
    taskgroup_around();
  }
  return 0;
}
