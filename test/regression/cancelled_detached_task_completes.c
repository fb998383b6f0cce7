// A detachable task that is cancelled before it begins is complete: nobody waits for its event, which may be fulfilled
// later all the same. The event used to be waited for: for ever, if the task's own body would have fulfilled it.
// RUN: %clang-openmp %s -o %t && env OMP_CANCELLATION=true %for-threads %t
#include "support/check.h"
#include <omp.h>

int main(void) {
  for (int round = 0; round < SCALED(320); round++) {
    int ran = 0, after = 0;
    omp_event_handle_t event, later;
#pragma omp parallel
#pragma omp single
    {
#pragma omp taskgroup
      {
#pragma omp task if (0)
        {
#pragma omp cancel taskgroup
        }
#pragma omp task detach(event) shared(ran)
        {
          ATOMIC_ADD(ran, 1);
          omp_fulfill_event(event);
        }
#pragma omp task detach(later) depend(out : after) shared(ran)
        ATOMIC_ADD(ran, 1);
        if (round % 2) omp_fulfill_event(later);
#pragma omp task depend(inout : after) shared(ran)
        ATOMIC_ADD(ran, 1);
      }
      if (round % 2 == 0) omp_fulfill_event(later);
    }
    CHECK_EQ(ran, 0);
  }
  return 0;
}
