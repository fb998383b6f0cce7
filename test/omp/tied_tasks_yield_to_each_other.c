// Tied tasks that wait for one another by taskyield end, on any number of threads, if the program relies on no
// scheduling constraint: it says so by asking for a task's handle. Without that OpenMP lets no sibling of a tied task
// begin on its thread. Each task waits for its turn in a ring, so each needs all others, and the implicit task that
// makes them.
// RUN: %clang-openmp -I%root %s -o %t && %for-threads %t
// RUN: env OMP_CANCELLATION=true CHOMP_STATS=%t.json %for-threads -t "1 2 8" %t
// RUN: %for-schedulers %for-threads -t "2 8" %t
#define CHOMP_WEAK
#include "abi/chomp.h"
#include "support/check.h"

enum { kTasks = 12, kRounds = 20 };

static _Atomic int turn, grandchildren;

static void wait_for_turn(int mine) {
  while (turn != mine) {
#pragma omp taskyield
  }
  turn++;
}

static void go_round(int with_children) {
  turn = grandchildren = 0;
#pragma omp parallel
#pragma omp single
  {
    for (int i = 1; i < kTasks; i++)
#pragma omp task firstprivate(i)
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
        wait_for_turn(round * kTasks + i);
      }
    for (int round = 0; round < kRounds; round++) wait_for_turn(round * kTasks);
  }
  CHECK_EQ(turn, kTasks * kRounds);
  CHECK_EQ(grandchildren, with_children ? 2 * (kTasks - 1) * kRounds : 0);
}

int main(void) {
  CHECK(chomp_task_self() != NULL);
  go_round(0);
  go_round(1);
  return 0;
}
