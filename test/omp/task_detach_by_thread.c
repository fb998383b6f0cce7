// An event may be fulfilled by a thread that OpenMP has never seen, while the team waits in a taskwait, a taskgroup or
// at the region's end, and while its threads sleep. Many events at once.
// RUN: %clang-openmp %s -o %t && %for-threads %t
#include "support/check.h"
#include <omp.h>
#include <pthread.h>
#include <time.h>

enum { kEvents = 50 };

struct request {
  omp_event_handle_t events[kEvents];
  int ready, done[kEvents], delay_us;
};

static void* fulfil_all(void* argument) {
  struct request* request = argument;
  SPIN_UNTIL(ATOMIC_LOAD(request->ready) == kEvents);
  for (int i = 0; i < kEvents; i++) {
    if (request->delay_us) nanosleep(&(struct timespec){.tv_nsec = request->delay_us * 1000L}, 0);
    ATOMIC_STORE(request->done[i], 1);
    omp_fulfill_event(request->events[i]);
  }
  return 0;
}

static void detach_all(struct request* request, int* chain) {
  for (int i = 0; i < kEvents; i++) {
    omp_event_handle_t event = 0;
#pragma omp task detach(event) firstprivate(i, request) depend(inout : chain[i])
    chain[i]++;
    request->events[i] = event;
#pragma omp task depend(inout : chain[i]) firstprivate(i, request)
    {
      CHECK_EQ(ATOMIC_LOAD(request->done[i]), 1);
      chain[i]++;
    }
    ATOMIC_STORE(request->ready, i + 1);
  }
}

int main(void) {
  for (int round = 0; round < 6; round++) {
    struct request request = {.delay_us = round == 5 ? 6000 : 10 * round};
    int chain[kEvents] = {0};
    pthread_t thread;
    CHECK_EQ(pthread_create(&thread, 0, fulfil_all, &request), 0);
#pragma omp parallel
#pragma omp single
    {
      if (round % 3 == 0) {
        detach_all(&request, chain);
#pragma omp taskwait
        for (int i = 0; i < kEvents; i++) CHECK_EQ(chain[i], 2);
      } else if (round % 3 == 1) {
#pragma omp taskgroup
        detach_all(&request, chain);
        for (int i = 0; i < kEvents; i++) CHECK_EQ(chain[i], 2);
      } else
        detach_all(&request, chain);
    }
    for (int i = 0; i < kEvents; i++) CHECK_EQ(chain[i], 2);
    pthread_join(thread, 0);
  }
  return 0;
}
