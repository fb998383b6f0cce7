// For tools/explore: an urgent task runs before an older one and needs it: it waits without a scheduling point for what
// the older one writes, or for a child whose event the older one fulfils. So the older one has to be in a queue, where
// another thread finds it.
#include "support/check.h"
#include <omp.h>

static void by_flag(void) {
  int written = 0;
#pragma omp task shared(written)
  __atomic_store_n(&written, 1, __ATOMIC_RELEASE);
#pragma omp task priority(1) shared(written)
  while (!__atomic_load_n(&written, __ATOMIC_ACQUIRE)) sched_yield();
#pragma omp taskwait
}

static void by_event(void) {
  int made = 0, value = 0;
  omp_event_handle_t event;
#pragma omp task shared(made, value, event)
  {
    while (!__atomic_load_n(&made, __ATOMIC_ACQUIRE)) sched_yield();
    value = 1;
    omp_fulfill_event(event);
  }
#pragma omp task priority(1) shared(made, value, event)
  {
    omp_event_handle_t mine;
#pragma omp task detach(mine)
    {
    }
    event = mine;
    __atomic_store_n(&made, 1, __ATOMIC_RELEASE);
#pragma omp taskwait
    CHECK_EQ(value, 1);
  }
#pragma omp taskwait
}

int main(void) {
  setenv("OMP_MAX_TASK_PRIORITY", "1", 1); // the runtime reads it at the first construct
  for (int round = 0; round < 3; round++) {
#pragma omp parallel
#pragma omp single
    {
      if (omp_get_num_threads() > 1) {
        by_flag();
        by_event();
      }
    }
  }
  return 0;
}
