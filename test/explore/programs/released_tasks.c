// For tools/explore: a wait ends with the last predecessor of another task, which the waiting thread has run itself. It
// then does not come back to the runtime before somebody has run that other task.
#include "support/check.h"
#include <omp.h>
#include <sched.h>

static void wait_ends(void) {
  int p = 0, x = 0, released_ran = 0, in_last = 0;
#pragma omp parallel
#pragma omp single
  if (omp_get_num_threads() > 1) {
#pragma omp task depend(out : p) shared(p, in_last)
    {
      while (!ATOMIC_LOAD(in_last)) sched_yield();
      p = 1;
    }
#pragma omp task depend(out : x) shared(x, in_last)
    {
      ATOMIC_STORE(in_last, 1);
      x = 1;
    }
#pragma omp task depend(in : x) shared(x, released_ran)
    {
      CHECK_EQ(x, 1);
      ATOMIC_STORE(released_ran, 1);
    }
#pragma omp taskwait depend(in : p)
    while (!ATOMIC_LOAD(released_ran)) sched_yield();
  }
}

int main(void) {
  for (int i = 0; i < 6; i++) wait_ends();
  return 0;
}
