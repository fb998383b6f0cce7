// For tools/explore: one thread makes many short tasks with dependences, which are soon not worth handing over, so that
// after the first 256 it runs them itself, without tracking them, between probes of the others, when it tracks them. In
// either way, and where one follows the other, each waits for what it depends on.
#include "support/check.h"
#include <omp.h>

enum { kChains = 3, kThrottle = 256 }; // so many tasks wait before their creator runs one

// The second waits for the event, which the creator fulfils when it has made both. The tasks before them have just been
// run at their creation.
static void behind_a_detached_task(void) {
  int x = 0, fulfilled = 0;
  omp_event_handle_t event;
#pragma omp task detach(event) depend(out : x) shared(x)
  x = 1;
#pragma omp task depend(inout : x) shared(x, fulfilled)
  {
    CHECK_EQ(fulfilled, 1);
    x++;
  }
  fulfilled = 1;
  omp_fulfill_event(event);
#pragma omp taskwait depend(in : x)
  CHECK_EQ(x, 2);
}

static void chains(int count) {
  static int length[kChains];
  for (int i = 0; i < kChains; i++) length[i] = 0;
  for (int i = 0; i < count; i++) {
    int *chain = &length[i % kChains], *other = &length[(i + 1) % kChains], before = i / kChains;
#pragma omp task depend(inout : chain[0]) depend(in : other[0]) firstprivate(chain, before)
    {
      CHECK_EQ(*chain, before);
      *chain = before + 1;
    }
  }
#pragma omp taskwait depend(in : length[0], length[1], length[2])
  for (int i = 0; i < kChains; i++) CHECK_EQ(length[i], (count - i + kChains - 1) / kChains);
}

// So many tasks that none of them is finished before the last is made: they wait for an event.
static void many(void) {
  int gate = 0;
  omp_event_handle_t event;
#pragma omp task detach(event) depend(out : gate)
  {
  }
  for (int i = 0; i < kThrottle + 4; i++) {
#pragma omp task depend(in : gate)
    {
    }
  }
  omp_fulfill_event(event);
  chains(12);
  behind_a_detached_task();
}

int main(void) {
#pragma omp parallel
#pragma omp single
  {
    chains(24);
    many();
  }
  return 0;
}
