// A task that fulfils events releases tasks that it may not run itself. They run though it goes on: while it waits for
// its children, inside a group, and while it fulfils one event after the other.
// RUN: %clang-openmp %s -o %t && %for-threads %t
// RUN: %if gomp %{ %gcc-openmp %s -o %t.gcc && %for-threads %t.gcc %}
#include "support/check.h"
#include <omp.h>
#include <pthread.h>

enum { kEvents = 40 };

static int ran[kEvents], chain;

static void release(omp_event_handle_t* events, int from, int to) {
  for (int i = from; i < to; ++i) omp_fulfill_event(events[i]);
}

// Another thread runs them, or this one in its waits; with one thread nobody could.
static void wait_for(int from, int to) {
  if (omp_get_num_threads() == 1) return;
  for (int i = from; i < to; ++i)
    while (!ATOMIC_LOAD(ran[i])) {
#pragma omp taskyield
    }
}

static void fulfil_all(omp_event_handle_t* events) {
  release(events, 0, 5);
#pragma omp task shared(chain)
  ATOMIC_ADD(chain, 1);
  release(events, 5, 10);
#pragma omp taskwait
  release(events, 10, 12);
#pragma omp taskgroup
  {
    release(events, 12, 20);
#pragma omp task shared(chain)
    ATOMIC_ADD(chain, 1);
  }
  for (int i = 20; i < kEvents; ++i) {
    release(events, i, i + 1);
    wait_for(i, i + 1);
  }
}

static void round_of(void) {
  static char places[kEvents];
  omp_event_handle_t events[kEvents];
  for (int i = 0; i < kEvents; ++i) ran[i] = 0;
  for (int i = 0; i < kEvents; ++i) {
    omp_event_handle_t event;
#pragma omp task detach(event) depend(out : places[i])
    {
    }
    events[i] = event;
#pragma omp task depend(in : places[i]) firstprivate(i) shared(ran)
    ATOMIC_ADD(ran[i], 1);
  }
  omp_event_handle_t* all = events;
#pragma omp task firstprivate(all)
  fulfil_all(all);
#pragma omp taskwait
  for (int i = 0; i < kEvents; ++i) CHECK_EQ(ATOMIC_LOAD(ran[i]), 1);
}

static void* fulfil(void* event) {
  omp_fulfill_event(*(omp_event_handle_t*)event);
  return NULL;
}

static void alone(void) {
  static char place;
  int released = 0;
#pragma omp parallel num_threads(1) shared(released)
  {
    omp_event_handle_t event;
    pthread_t thread;
    for (int i = 0; i < 3; ++i) {
#pragma omp taskyield
    }
#pragma omp task detach(event) depend(out : place)
    {
    }
#pragma omp task depend(in : place) shared(released)
    ATOMIC_ADD(released, 1);
    CHECK_EQ(pthread_create(&thread, NULL, fulfil, &event), 0);
    while (!ATOMIC_LOAD(released)) {
#pragma omp taskyield
    }
    pthread_join(thread, NULL);
  }
}

int main(void) {
  for (int i = 0; i < 10; ++i) alone();
  const int rounds = 50 * stress_factor();
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < rounds; ++i) round_of();
  CHECK_EQ(chain, 2 * rounds);
  return 0;
}
