// A detached task is complete when its event has been fulfilled, not before, by whichever task fulfils it: taskwait,
// taskgroup, dependences and the region's end wait for that. Also in a team of one.
// RUN: %clang-openmp %s -o %t && %for-threads %t
#include "support/check.h"
#include <omp.h>

int main(void) {
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
