// A detached task whose event its own child fulfils: the child may run on top of the task that waits for the detached
// task, since that is its grandparent. The child used to be refused as if its parent had finished: when every thread
// waited in a tied task, none was left to run it.
// RUN: %clang-openmp %s -o %t && %for-threads -t 2 %t
#include "support/check.h"
#include <omp.h>
#include <time.h>

static omp_event_handle_t other_event, event;
static int other_waits;

// Occupies the other thread, which may run only descendants on top of this one.
static void wait_for_other_event(void) {
#pragma omp task detach(other_event)
  ATOMIC_STORE(other_waits, 1);
#pragma omp taskwait
}

static void wait_for_event(void) {
#pragma omp task detach(event)
  {
#pragma omp task
    {
      omp_fulfill_event(event);
      omp_fulfill_event(other_event);
    }
    // The idle thread has the child published meanwhile.
    nanosleep(&(struct timespec){.tv_nsec = 10000000}, 0);
  }
#pragma omp taskwait
}

int main(void) {
  for (int round = 0; round < SCALED(48); round++) {
    other_waits = 0;
#pragma omp parallel num_threads(2)
#pragma omp single
    {
#pragma omp task
      wait_for_other_event();
      SPIN_UNTIL(ATOMIC_LOAD(other_waits));
#pragma omp task
      wait_for_event();
    }
  }
  return 0;
}
