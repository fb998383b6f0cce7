// Events of detached tasks, fulfilled by tasks and by threads, with and without dependences.
// RUN: %clang-openmp %s -o %t && %for-threads %t
#include "support/check.h"
#include <omp.h>
#include <pthread.h>
#include <time.h>

// An event may be fulfilled by a thread that OpenMP has never seen, while the team waits in a taskwait, a taskgroup
// or at the region's end, and while its threads sleep. Many events at once.
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

static void by_thread(void) {
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
}

// A task that depends on a detached one waits for its event, also where tasks run at their creation: in a serial
// team, outside any region, below a final task.
static omp_event_handle_t dependences_event;

static void* fulfil(void* unused) {
  usleep(1000);
  omp_fulfill_event(dependences_event);
  return unused;
}

static void dependences_chain(void) {
  int x = 0, y = 0;
  pthread_t thread;
#pragma omp task detach(dependences_event) depend(out : x) shared(x)
  x = 1;
  CHECK_EQ(pthread_create(&thread, NULL, fulfil, NULL), 0);
#pragma omp task depend(inout : x) shared(x, y)
  y = x + 1;
#pragma omp task depend(in : x) shared(y) if (0)
  {
    CHECK_EQ(y, 2);
    y = 3;
  }
  CHECK_EQ(y, 3);
#pragma omp taskwait
  pthread_join(thread, NULL);
}

static void fulfilled_by_creator(void) {
  int x = 0;
#pragma omp task detach(dependences_event) depend(out : x) shared(x)
  x = 1;
#pragma omp task depend(inout : x) shared(x)
  x = 2;
  omp_fulfill_event(dependences_event);
#pragma omp taskwait depend(in : x)
  CHECK_EQ(x, 2);
#pragma omp taskwait
}

static void dependences(void) {
  for (int i = 0; i < 20; i++) {
    dependences_chain();
    fulfilled_by_creator();
#pragma omp parallel num_threads(1)
    dependences_chain();
#pragma omp parallel
#pragma omp single
    {
      dependences_chain();
      fulfilled_by_creator();
#pragma omp task final(1)
      dependences_chain();
    }
  }
}

int main(void) {
  by_thread();
  dependences();
  return 0;
}
