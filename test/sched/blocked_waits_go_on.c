// Every thread sits in a tied task of its own and waits, in whatever way, for children that lie among the children of
// all the others: behind them in queues that only one thread takes from, and in queues of threads that wait for
// something else and may not run them. All waits end.
// RUN: %clang-openmp %s -o %t
// RUN: %for-schedulers %root/test/for_threads -t "1 2 3 8" %t
// RUN: env KMP_TASK_STEALING_CONSTRAINT=0 %for-schedulers %root/test/for_threads -t "2 8" %t
// RUN: env KMP_ENABLE_TASK_THROTTLING=0 %for-schedulers %root/test/for_threads -t "2 8" %t
#include "support/check.h"
#include <omp.h>

static int arrived;
static _Thread_local int rounds; // in which all have met

// No task scheduling point: nothing is run meanwhile.
static void all_meet(void) {
  int everybody = ++rounds * omp_get_num_threads();
  ATOMIC_ADD(arrived, 1);
  SPIN_UNTIL(ATOMIC_LOAD(arrived) >= everybody);
}

static void children(void) {
  enum { kChildren = 10 };
  int ran = 0;
  for (int i = 0; i < kChildren; i++)
#pragma omp task shared(ran)
    ATOMIC_ADD(ran, 1);
  all_meet(); // all have made theirs, and none has run
#pragma omp taskwait
  CHECK_EQ(ATOMIC_LOAD(ran), kChildren);
}

static void descendants(void) {
  int ran = 0;
#pragma omp taskgroup
  {
    for (int i = 0; i < 5; i++)
#pragma omp task shared(ran)
    {
#pragma omp task shared(ran)
      ATOMIC_ADD(ran, 1);
    }
    all_meet();
  }
  CHECK_EQ(ATOMIC_LOAD(ran), 5);
}

static void children_that_wait(void) {
  int ran = 0;
  for (int i = 0; i < 5; i++)
#pragma omp task shared(ran)
  {
    int below = 0;
    for (int k = 0; k < 3; k++)
#pragma omp task shared(below)
      ATOMIC_ADD(below, 1);
#pragma omp taskwait
    CHECK_EQ(ATOMIC_LOAD(below), 3);
    ATOMIC_ADD(ran, 1);
  }
  all_meet();
#pragma omp taskwait
  CHECK_EQ(ATOMIC_LOAD(ran), 5);
}

static void dependences(void) {
  int x = 0, waited = 0;
  for (int i = 0; i < 5; i++)
#pragma omp task depend(inout : x) shared(x)
    x++;
  all_meet();
#pragma omp task if (0) depend(in : x) shared(x, waited)
  waited = x;
  CHECK_EQ(waited, 5);
#pragma omp task depend(mutexinoutset : x) shared(x)
  x++;
#pragma omp task depend(mutexinoutset : x) shared(x)
  x++;
#pragma omp taskwait depend(in : x)
  CHECK_EQ(x, 7);
}

static void events(void) {
  enum { kEvents = 5 };
  omp_event_handle_t event[kEvents];
  int fulfilled = 0;
  for (int i = 0; i < kEvents; i++) {
    omp_event_handle_t each = 0;
#pragma omp task detach(each)
    {
    }
    event[i] = each;
  }
  for (int i = 0; i < kEvents; i++)
#pragma omp task shared(event, fulfilled)
  {
    ATOMIC_ADD(fulfilled, 1);
    omp_fulfill_event(event[i]);
  }
  all_meet();
#pragma omp taskwait
  CHECK_EQ(ATOMIC_LOAD(fulfilled), kEvents);
}

static void priorities(void) {
  int ran = 0;
  for (int i = 0; i < 10; i++)
#pragma omp task priority(i % 3) shared(ran)
    ATOMIC_ADD(ran, 1);
  all_meet();
#pragma omp taskwait
  CHECK_EQ(ATOMIC_LOAD(ran), 10);
}

// Some threads are in a task that ends when another thread's wait is over.
static void behind_a_long_task(void) {
  enum { kChildren = 20 };
  static int over;
  int ran = 0;
  if (omp_get_thread_num() % 2 == 1) {
    all_meet();
    SPIN_UNTIL(ATOMIC_LOAD(over) >= (omp_get_num_threads() + 1) / 2);
    all_meet();
    return;
  }
  for (int i = 0; i < kChildren; i++)
#pragma omp task shared(ran)
    ATOMIC_ADD(ran, 1);
  all_meet();
#pragma omp taskwait
  CHECK_EQ(ATOMIC_LOAD(ran), kChildren);
  ATOMIC_ADD(over, 1);
  all_meet();
  ATOMIC_STORE(over, 0);
}

static void in_tied_tasks(void (*body)(void)) {
#pragma omp parallel
  {
    rounds = 0;
#pragma omp barrier
#pragma omp task if (0)
    body();
#pragma omp barrier
#pragma omp single
    arrived = 0;
  }
}

int main(void) {
  for (int round = 0; round < SCALED(8); round++) {
    in_tied_tasks(children);
    in_tied_tasks(descendants);
    in_tied_tasks(children_that_wait);
    in_tied_tasks(dependences);
    in_tied_tasks(events);
    in_tied_tasks(priorities);
    if (round % 8 == 0) in_tied_tasks(behind_a_long_task);
  }
  return 0;
}
