// A detachable task that is undeferred may end long after its construct: taskwait, taskgroup and the region's end wait
// for it. It used to be finished without having been counted.
// RUN: %clang-openmp %s -o %t && %for-threads %t
#include "support/check.h"
#include <omp.h>
#include <pthread.h>
#include <stdint.h>

static int done;

static void* fulfil_later(void* event) {
  burn(20000);
  ATOMIC_STORE(done, 1);
  omp_fulfill_event((omp_event_handle_t)(uintptr_t)event);
  return 0;
}

static void make(pthread_t* thread) {
  omp_event_handle_t event;
  int ran = 0;
  done = 0;
#pragma omp task detach(event) if (0) shared(ran)
  ran = 1;
  CHECK_EQ(ran, 1);
  CHECK_EQ(pthread_create(thread, 0, fulfil_later, (void*)(uintptr_t)event), 0);
}

int main(void) {
  pthread_t thread;
  for (int round = 0; round < SCALED(160); round++) {
#pragma omp parallel
#pragma omp single
    {
      make(&thread);
#pragma omp taskwait
      CHECK_EQ(ATOMIC_LOAD(done), 1);
      pthread_join(thread, 0);
#pragma omp taskgroup
      make(&thread);
      CHECK_EQ(ATOMIC_LOAD(done), 1);
      pthread_join(thread, 0);
      make(&thread);
    }
    CHECK_EQ(ATOMIC_LOAD(done), 1);
    pthread_join(thread, 0);
  }
  return 0;
}
