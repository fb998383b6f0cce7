// A detached task is complete when its event has been fulfilled, not before, by whichever task fulfils it: taskwait,
// taskgroup, dependences and the region's end wait for that. Also in a team of one, and if tasks are counted only since
// the region has begun: then nobody hears of the task, but whoever fulfils its event does not know that.
// RUN: %clang-openmp -I%root %s -o %t && %for-threads %t
#include "support/check.h"
#include <omp.h>
#include <stdlib.h>

#define CHOMP_WEAK
#include "abi/chomp.h"

enum { kBody = 2000 }; // steps: a few microseconds

static void spin(int steps) {
  for (volatile int i = 0; i < steps; i++) continue;
}

static void counting_begins_meanwhile(void) {
  int begun = 0;
#pragma omp parallel
#pragma omp single
  {
    chomp_count_tasks(1);
    for (int i = 1; i <= SCALED(4000); i++) {
      omp_event_handle_t event;
#pragma omp task detach(event) shared(begun)
      {
        ATOMIC_STORE(begun, i);
        spin(kBody);
      }
      for (int waits = 0; ATOMIC_LOAD(begun) != i; waits++) {
        if (waits <= 10 * kBody) continue;
#pragma omp taskyield
      }
      spin(kBody * 9 / 10 + rand() % (kBody / 5)); // about when the body ends
      omp_fulfill_event(event);
    }
    chomp_count_tasks(0);
  }
}

int main(void) {
  counting_begins_meanwhile();
  for (int round = 0; round < SCALED(320); round++) {
    int x = 0, fulfilled = 0, at_end = 0;
    omp_event_handle_t event, second, third;
#pragma omp parallel
#pragma omp single
    {
#pragma omp task detach(event) depend(out : x)
      x = 1;
#pragma omp task depend(inout : x)
      {
        CHECK_EQ(ATOMIC_LOAD(fulfilled), 1);
        x = 2;
      }
#pragma omp task
      {
        burn(100);
        ATOMIC_STORE(fulfilled, 1);
        omp_fulfill_event(event);
      }
#pragma omp taskwait
      CHECK_EQ(x, 2);

#pragma omp taskgroup
      {
#pragma omp task detach(second) shared(x)
        {
          omp_fulfill_event(second); // by itself
          x = 3;
        }
      }
      CHECK_EQ(x, 3);

#pragma omp task detach(third)
      {
      }
#pragma omp task shared(at_end) firstprivate(third)
      {
        burn(100);
        ATOMIC_STORE(at_end, 1);
        omp_fulfill_event(third);
      }
    }
    CHECK_EQ(ATOMIC_LOAD(at_end), 1);
  }
  return 0;
}
