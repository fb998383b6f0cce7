// Cancelling a region, loop or sections ends it for all its threads, wherever they are: in a barrier of the region, in
// a function's, in a loop, or without a cancellation point on their way. Nothing hangs, and the next region is whole.
// REQUIRES: gomp
// RUN: %gcc-openmp %s -o %t && env OMP_CANCELLATION=true %for-threads %t
// RUN: env OMP_CANCELLATION=false %for-threads %t
#include "support/check.h"
#include <omp.h>

static int on;

__attribute__((noinline)) static void orphaned_barrier(void) {
#pragma omp barrier
}

/// The canceller is thread `who`; the others are in different places. `survivors` counts threads that got past a
/// barrier after it.
static void region(int who) {
  int survivors = 0, entered = 0;
#pragma omp parallel shared(survivors, entered)
  {
    int me = omp_get_thread_num(), value = -1;
    ATOMIC_ADD(entered, 1);
    if (me == who) {
      burn(who * 300);
#pragma omp cancel parallel
    }
    if (on && me % 4 == 1) {
      orphaned_barrier();
#pragma omp cancellation point parallel
    } else if (on && me % 4 == 2) {
      // Loops without a barrier, more than there can be in flight at once.
      for (int i = 0; i < 20; i++) {
#pragma omp for schedule(dynamic) nowait
        for (int j = 0; j < 10; j++) burn(10);
      }
#pragma omp barrier
    } else if (!on || me % 4 == 3) {
#pragma omp single copyprivate(value)
      value = 7;
      CHECK(on || value == 7);
#pragma omp barrier
    }
    if (!on || me % 4 != 0 || me == who) ATOMIC_ADD(survivors, 1);
  }
  CHECK_EQ(entered, omp_get_max_threads());
  CHECK_EQ(survivors, on ? 0 : entered);
}

static void loops(int who) {
  int done = 0, after = 0;
#pragma omp parallel
  {
#pragma omp for schedule(dynamic, 2)
    for (int i = 0; i < 3000; i++) {
#pragma omp cancellation point for
      ATOMIC_ADD(done, 1);
#pragma omp cancel for if (i == who)
    }
#pragma omp for
    for (int i = 0; i < 3000; i++) {
#pragma omp cancellation point for
      ATOMIC_ADD(done, 1);
#pragma omp cancel for if (i % 100 == 5)
    }
    ATOMIC_ADD(after, 1);
    // Nothing is left of the request to cancel.
#pragma omp for schedule(guided)
    for (int i = 0; i < 100; i++) {
#pragma omp cancellation point for
      ATOMIC_ADD(after, 1);
    }
  }
  CHECK_EQ(after, omp_get_max_threads() + 100);
  CHECK(on ? done < 6000 : done == 6000);
}

static void sections(int who) {
  int done = 0;
#pragma omp parallel
  {
#pragma omp sections
    {
#pragma omp section
      {
#pragma omp cancel sections if (who % 2)
        ATOMIC_ADD(done, 1);
      }
#pragma omp section
      {
#pragma omp cancel sections if (who % 2 == 0)
        ATOMIC_ADD(done, 1);
      }
    }
  }
  CHECK(on ? done <= 1 : done == 2);
}

/// A loop that may be cancelled inside a region that may be: GOMP_loop_end_cancel, GOMP_sections_end_cancel.
static void both(int who) {
  int after = 0;
#pragma omp parallel
  {
#pragma omp for schedule(dynamic)
    for (int i = 0; i < 100; i++) {
#pragma omp cancel for if (i == who)
    }
#pragma omp sections
    {
#pragma omp section
      {
#pragma omp cancel sections
      }
    }
    ATOMIC_ADD(after, 1);
#pragma omp cancel parallel if (omp_get_thread_num() == who)
#pragma omp for schedule(dynamic)
    for (int i = 0; i < 100; i++) {
#pragma omp cancel for if (i == who)
    }
    ATOMIC_ADD(after, 1000);
  }
  CHECK_EQ(after % 1000, omp_get_max_threads());
  CHECK_EQ(after / 1000, on ? 0 : omp_get_max_threads());
}

int main(void) {
  on = omp_get_cancellation();
  CHECK_EQ(on, getenv("OMP_CANCELLATION")[0] == 't');
  for (int round = 0; round < 60; round++) {
    int who = round % omp_get_max_threads();
    region(who);
    loops(who);
    sections(who);
    both(who);
  }
  return 0;
}
