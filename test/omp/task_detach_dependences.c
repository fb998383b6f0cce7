// A task that depends on a detached one waits for its event, also where tasks run at their creation: in a serial team,
// outside any region, below a final task.
// RUN: %clang-openmp %s -o %t && %for-threads %t
#include "support/check.h"
#include <omp.h>
#include <pthread.h>

static omp_event_handle_t event;

static void* fulfil(void* unused) {
  usleep(1000);
  omp_fulfill_event(event);
  return unused;
}

static void chain(void) {
  int x = 0, y = 0;
  pthread_t thread;
#pragma omp task detach(event) depend(out : x) shared(x)
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
#pragma omp task detach(event) depend(out : x) shared(x)
  x = 1;
#pragma omp task depend(inout : x) shared(x)
  x = 2;
  omp_fulfill_event(event);
#pragma omp taskwait depend(in : x)
  CHECK_EQ(x, 2);
#pragma omp taskwait
}

int main(void) {
  for (int i = 0; i < 20; i++) {
    chain();
    fulfilled_by_creator();
#pragma omp parallel num_threads(1)
    chain();
#pragma omp parallel
#pragma omp single
    {
      chain();
      fulfilled_by_creator();
#pragma omp task final(1)
      chain();
    }
  }
  return 0;
}
