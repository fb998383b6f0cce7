// Faults in what tasks wait for.
#include <pthread.h>
#include <stdlib.h>
#include <time.h>

#include "planted.h"

// Each step needs the one before.
PROGRAM(true_chain) {
  double state = 1;
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < 300; ++i)
#pragma omp task depend(inout : state) // true_chain
  {
    compute_us(500);
    state *= 1.01;
  }
}

// Each task has an element of its own, but all name the first.
PROGRAM(false_chain) {
  static double data[300];
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < 300; ++i)
#pragma omp task depend(inout : data[0]) // false_chain
  {
    compute_us(500);
    data[i] += 1;
  }
}

static void step(int left) {
  compute_us(1000);
  if (left == 0) return;
#pragma omp task // each_makes_the_next
  step(left - 1);
}

PROGRAM(each_makes_the_next) {
#pragma omp parallel
#pragma omp single
#pragma omp task
  step(200);
}

// A tied task waits for what another thread begins; its own thread may not run the other tasks meanwhile.
PROGRAM(tied_task_waits) {
  int waits = 0;
  omp_event_handle_t answer;
#pragma omp parallel num_threads(2)
#pragma omp single
  {
#pragma omp task shared(waits, answer)
    {
#pragma omp task detach(answer)
      {
      }
#pragma omp atomic write seq_cst
      waits = 1;
#pragma omp taskwait // tied_task_waits
    }
    for (int now = 0; now == 0;) { // until the other thread is there
#pragma omp atomic read seq_cst
      now = waits;
      compute_us(1);
    }
    for (int i = 0; i < 100; ++i)
#pragma omp task firstprivate(i) shared(answer)
    {
      compute_us(2000);
      if (i == 50) omp_fulfill_event(answer);
    }
  }
}

static void* answer_late(void* event) {
  nanosleep(&(struct timespec){0, 150 * 1000 * 1000}, NULL);
  omp_fulfill_event(*(omp_event_handle_t*)event);
  return NULL;
}

// What all tasks need is asked for, and comes late.
PROGRAM(late_event) {
  pthread_t device;
  omp_event_handle_t event, *copy = malloc(sizeof *copy);
  char input = 0;
#pragma omp parallel
#pragma omp single
  {
#pragma omp task detach(event) depend(out : input) // late_event
    {
      *copy = event;
      pthread_create(&device, NULL, answer_late, copy);
    }
    for (int i = 0; i < 100; ++i)
#pragma omp task depend(in : input)
      compute_us(500);
  }
  pthread_join(device, NULL);
  free(copy);
}

PROGRAM(critical_in_tasks) {
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < 400; ++i)
#pragma omp task
  {
    compute_us(20);
#pragma omp critical // critical_in_tasks
    compute_us(400);
  }
}

PROGRAM(lock_in_tasks) {
  omp_lock_t lock;
  omp_init_lock(&lock);
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < 400; ++i)
#pragma omp task shared(lock)
  {
    compute_us(20);
    omp_set_lock(&lock); // lock_in_tasks
    compute_us(400);
    omp_unset_lock(&lock);
  }
  omp_destroy_lock(&lock);
}

PROGRAM(reduction_by_critical) {
  double sum = 0;
#pragma omp parallel for
  for (int i = 0; i < 400000; ++i) {
    compute_us(0.05);
#pragma omp critical // reduction_by_critical
    {
      compute_us(0.2);
      sum += i;
    }
  }
}

PROGRAM(ordered_loop) {
#pragma omp parallel for ordered schedule(static, 1)
  for (int i = 0; i < 400; ++i) {
    compute_us(20);
#pragma omp ordered // ordered_loop
    compute_us(400);
  }
}
