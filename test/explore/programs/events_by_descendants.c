// For tools/explore: tied tasks wait for detached children whose events are fulfilled far below, by tasks whose parents
// have ended; by siblings of the child; and by a thread outside. Each member waits in such a task, so none may run what
// another's needs. The last chain is so long that finished tasks leave their parents out.
#include "support/check.h"
#include <omp.h>
#include <pthread.h>

enum { kShort = 2, kLong = 70 };

static void chain(omp_event_handle_t event, int length) {
  if (length == 0) {
    omp_fulfill_event(event);
    return;
  }
#pragma omp task firstprivate(event, length)
  chain(event, length - 1);
}

static void* fulfil(void* event) {
  omp_fulfill_event(*(omp_event_handle_t*)event);
  return 0;
}

static void wait_for_it(int below, int length) {
  omp_event_handle_t event;
#pragma omp task detach(event) firstprivate(below, length)
  {
    omp_event_handle_t mine = event;
    if (below) chain(mine, length);
  }
  if (!below) chain(event, length);
#pragma omp taskwait
}

static void wait_for_a_thread(void) {
  pthread_t thread;
  omp_event_handle_t event;
#pragma omp task detach(event)
  {
  }
  CHECK_EQ(pthread_create(&thread, 0, fulfil, &event), 0);
#pragma omp taskwait
  CHECK_EQ(pthread_join(thread, 0), 0);
}

int main(void) {
  int waited = 0;
#pragma omp parallel shared(waited)
#pragma omp single
  {
    for (int i = 0; i < 4; i++) {
#pragma omp task firstprivate(i) shared(waited)
      {
        wait_for_it(i % 2, i == 3 ? kLong : kShort);
        __atomic_fetch_add(&waited, 1, __ATOMIC_RELAXED);
      }
    }
    wait_for_a_thread();
  }
  CHECK_EQ(waited, 4);
  return 0;
}
