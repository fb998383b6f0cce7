// A task waits for a detached child whose event a task far below fulfils, when all tasks in between have ended: below
// the child, below a sibling of it, or at the end of a long chain of tasks. All threads wait in such tasks, each for
// its own, so none runs another's. It waits by taskwait, for a group, and for dependences.
// RUN: %clang-openmp %s -o %t && %for-threads %t && env OMP_NUM_THREADS=3 %for-schedulers %t
#include "support/check.h"
#include <omp.h>

enum { kForms = 4, kLong = 200 };

static int waited;

static void chain(omp_event_handle_t event, int length) {
  if (length == 0) {
    omp_fulfill_event(event);
    return;
  }
#pragma omp task firstprivate(event, length)
  {
    burn(length % 3 * 20);
    chain(event, length - 1);
  }
}

static void wait_for_it(int form, int length) {
  omp_event_handle_t event;
  int cell = 0;
  if (form == 1) {
#pragma omp taskgroup
    {
#pragma omp task detach(event)
      {
      }
      chain(event, length);
    }
  } else if (form == 3) { // below the child itself
#pragma omp task detach(event) firstprivate(length)
    {
      omp_event_handle_t mine = event;
      chain(mine, length);
    }
#pragma omp taskwait
  } else if (form == 2) {
#pragma omp task detach(event) depend(out : cell)
    {
    }
    chain(event, length);
#pragma omp taskwait depend(in : cell)
  } else {
#pragma omp task detach(event)
    {
    }
    chain(event, length);
#pragma omp taskwait
  }
  ATOMIC_ADD(waited, 1);
#pragma omp taskwait
}

int main(void) {
  int rounds = SCALED(64) * stress_factor(), tasks = 0;
#pragma omp parallel
#pragma omp single
  for (int round = 0; round < rounds; round++) {
    for (int i = 0; i < 2 * omp_get_num_threads(); i++) {
      int length = round % 8 == 7 ? kLong : 2 + i % 3, form = (round + i) % kForms;
      tasks++;
#pragma omp task firstprivate(form, length)
      wait_for_it(form, length);
    }
#pragma omp taskwait
  }
  CHECK_EQ(waited, tasks);
  return 0;
}
