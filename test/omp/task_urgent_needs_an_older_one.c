// A task with a higher priority runs before one that was made earlier, but may need it: it waits for a flag that the
// older one sets, or for a child whose event the older one fulfils. Another thread then runs the older one.
// RUN: %clang-openmp %s -o %t && env OMP_MAX_TASK_PRIORITY=10 %for-threads -t "2 3 8 33" %t
// RUN: %if gomp %{ %gcc-openmp %s -o %t.gcc && env OMP_MAX_TASK_PRIORITY=10 %for-threads -t "2 3 8 33" %t.gcc %}
#include "support/check.h"
#include <omp.h>
#include <stdint.h>

enum { kFlag, kFlagAndYield, kEvent };

static int flag;
static omp_event_handle_t event;

static void set(int how) {
  if (how == kEvent) {
    SPIN_UNTIL(ATOMIC_LOAD(flag));
    omp_fulfill_event(event);
  }
  ATOMIC_STORE(flag, 1);
}

static void need(int how) {
  if (how == kEvent) {
    omp_event_handle_t of_child;
#pragma omp task detach(of_child)
    {
      event = of_child;
      ATOMIC_STORE(flag, 1);
    }
#pragma omp taskwait
    return;
  }
  while (!ATOMIC_LOAD(flag)) {
    if (how == kFlagAndYield) {
#pragma omp taskyield
    } else {
      sched_yield();
    }
  }
}

// The thread that makes them has both when it begins to wait.
static void round_of(int how, int plain) {
  flag = 0;
#pragma omp parallel
#pragma omp single
  {
    for (int i = 0; i < plain; i++)
#pragma omp task
      burn(10);
#pragma omp task firstprivate(how)
    set(how);
#pragma omp task priority(5) firstprivate(how)
    need(how);
#pragma omp taskwait
  }
}

int main(void) {
  for (int round = 0; round < SCALED(20) * stress_factor(); round++)
    for (int how = kFlag; how <= kEvent; how++) round_of(how, round % 3);
  return 0;
}
