// Detachable tasks of code compiled by GCC: the event is known to the creator and to the task, fulfilled by the task,
// by the creator, by another thread; taskwait, taskgroup and dependences wait for it; undeferred and included ones as
// well, and undeferred ones with events of ALPI.
// REQUIRES: gomp
// RUN: %gcc-openmp -I%root %s -o %t && %for-threads %t
#define CHOMP_WEAK __attribute__((weak))
#include "abi/alpi.h"
#include "support/check.h"
#include <omp.h>
#include <pthread.h>
#include <stdint.h>

static int done;

static void* fulfil_later(void* event) {
  burn(2000);
  ATOMIC_STORE(done, 1);
  omp_fulfill_event((omp_event_handle_t)(uintptr_t)event);
  return 0;
}

static pthread_t by_thread(omp_event_handle_t event) {
  pthread_t thread;
  CHECK_EQ(pthread_create(&thread, 0, fulfil_later, (void*)(uintptr_t)event), 0);
  return thread;
}

static void one_round(int round) {
  int x = 0, ran = 0;
  long double wide = round;
  omp_event_handle_t event;
  pthread_t thread;

#pragma omp task detach(event) shared(ran) firstprivate(wide)
  {
    CHECK(wide == round);
    ran = 1;
    omp_fulfill_event(event);
  }
#pragma omp taskwait
  CHECK_EQ(ran, 1);

  done = 0;
#pragma omp taskgroup
  {
#pragma omp task detach(event) shared(ran)
    ran = 2;
    thread = by_thread(event);
  }
  CHECK(ran == 2 && ATOMIC_LOAD(done) == 1);
  pthread_join(thread, 0);

  done = 0;
#pragma omp task detach(event) shared(x) depend(out : x)
  x = 1;
  thread = by_thread(event);
#pragma omp task depend(in : x) shared(x)
  CHECK(x == 1 && ATOMIC_LOAD(done) == 1);
#pragma omp taskwait
  pthread_join(thread, 0);

  // Undeferred: the construct ends when the body does, the task when its event is fulfilled.
  done = 0, x = 0;
#pragma omp task detach(event) shared(x) depend(out : x) if (0)
  x = 1;
  CHECK_EQ(x, 1);
#pragma omp task depend(in : x)
  CHECK_EQ(ATOMIC_LOAD(done), 1);
  thread = by_thread(event);
#pragma omp taskwait
  CHECK_EQ(ATOMIC_LOAD(done), 1);
  pthread_join(thread, 0);

  done = 0, x = 0;
#pragma omp task final(1) shared(x)
  {
    omp_event_handle_t inner;
#pragma omp task detach(inner) shared(x) depend(out : x)
    x = 1;
    CHECK_EQ(x, 1);
    pthread_t helper = by_thread(inner);
#pragma omp taskwait
    CHECK_EQ(ATOMIC_LOAD(done), 1);
    pthread_join(helper, 0);
  }
#pragma omp taskwait
}

static void* decrease_later(void* task) {
  burn(2000);
  ATOMIC_STORE(done, 1);
  CHECK_EQ(alpi_task_events_decrease(task, 1), ALPI_SUCCESS);
  return 0;
}

static void undeferred_with_events(void) {
  int x = 0;
  pthread_t thread;
  done = 0;
#pragma omp task shared(x, thread) depend(out : x) if (0)
  {
    struct alpi_task* self = 0;
    CHECK_EQ(alpi_task_self(&self), ALPI_SUCCESS);
    CHECK_EQ(alpi_task_events_increase(self, 1), ALPI_SUCCESS);
    CHECK_EQ(pthread_create(&thread, 0, decrease_later, self), 0);
  }
#pragma omp task depend(in : x)
  CHECK_EQ(ATOMIC_LOAD(done), 1);
#pragma omp taskwait
  pthread_join(thread, 0);
}

int main(void) {
#pragma omp parallel
#pragma omp single
  for (int round = 0; round < SCALED(320); round++) one_round(round);
  one_round(-1);
#pragma omp parallel
#pragma omp single
  for (int round = 0; round < 40; round++) undeferred_with_events();
  undeferred_with_events();
  return 0;
}
