// Members of a light region have tasks that yield until it is their turn. A member whose tasks find each other again
// and again lets the others of its kernel thread run, too: one of these may have the task whose turn it is.
// RUN: %clang-openmp -I%root %s -o %t -L%lib
// RUN: env CHOMP_NESTED=light %for-threads -t "1 2 8" %t 2>/dev/null
// RUN: env CHOMP_NESTED=light CHOMP_SCHEDULER=fifo %for-threads -t "1 2 8" %t 2>/dev/null
// RUN: env CHOMP_NESTED=light CHOMP_SCHEDULER=fifo OMP_CANCELLATION=true %for-threads -t "1 2 8" %t 2>/dev/null
#include <omp.h>
#include <stdatomic.h>

#include "abi/chomp.h"
#include "support/check.h"

enum { kTasks = 5 };

static void from_last_to_first(void) {
  _Atomic int turn = kTasks - 1;
  for (int i = 0; i < kTasks; ++i) {
#pragma omp task shared(turn)
    {
      int children = 0;
      while (atomic_load(&turn) != i) {
#pragma omp taskyield
      }
#pragma omp taskgroup
      for (int k = 0; k < 2; ++k) {
#pragma omp task shared(children)
        ATOMIC_ADD(children, 1);
      }
      CHECK_EQ(children, 2);
      atomic_store(&turn, i - 1);
    }
  }
#pragma omp taskwait
  CHECK_EQ(atomic_load(&turn), -1);
}

int main(void) {
  omp_set_max_active_levels(2);
  chomp_task_self(); // tasks may stop from here on
  for (int round = 0; round < SCALED(500); ++round) {
#pragma omp parallel
#pragma omp single
#pragma omp task if (0)
#pragma omp parallel num_threads(2)
    {
      from_last_to_first();
      from_last_to_first();
    }
  }
  return 0;
}
