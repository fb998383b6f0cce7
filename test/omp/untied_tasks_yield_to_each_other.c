// Untied tasks that wait for one another by taskyield end, on any number of threads: a part of one that has come to its
// taskyield inside the taskyield of another returns there. Each waits for its turn in a ring, so each needs all others.
// So it is where tasks are observed.
// RUN: %clang-openmp %s -o %t && %for-threads -t "1 2 3 8" %t
// RUN: env OMP_CANCELLATION=true %for-threads -t "1 2 8" %t
// RUN: env CHOMP_STATS=%t.json %for-threads -t "1 2 8" %t
// RUN: %for-schedulers %for-threads -t "2 8" %t
#include "support/check.h"
#include <omp.h>

enum { kTasks = 12, kRounds = 20 };

static _Atomic int turn;
static _Atomic int grandchildren;

static void go_round(int with_children) {
  turn = grandchildren = 0;
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < kTasks; i++)
#pragma omp task untied firstprivate(i)
    for (int round = 0; round < kRounds; round++) {
      if (with_children) {
#pragma omp task
        grandchildren++;
#pragma omp taskgroup
        {
#pragma omp task
          grandchildren++;
        }
      }
      while (turn != round * kTasks + i) {
#pragma omp taskyield
      }
      turn++;
    }
  CHECK(turn == kTasks * kRounds);
  CHECK(grandchildren == (with_children ? 2 * kTasks * kRounds : 0));
}

/// Where a task that yields goes back to a queue, those that depend on it wait for it.
static void in_order(void) {
  int value = 0;
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < 400; i++)
#pragma omp task untied depend(inout : value) firstprivate(i) shared(value)
  {
    CHECK_EQ(value, i);
#pragma omp taskyield
    value++;
#pragma omp taskyield
  }
  CHECK_EQ(value, 400);
}

int main(void) {
  in_order();
  go_round(0);
  go_round(1);
  return 0;
}
