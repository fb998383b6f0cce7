// Tasks that suspend themselves are resumed once each, by tasks, by the thread that waits below, by a thread that
// OpenMP does not know; barriers, groups and waits of their parents wait for them.
#include <omp.h>
#include <pthread.h>
#include <stdatomic.h>

#define CHOMP_WEAK
#include "../../../abi/chomp.h"
#include "support/check.h"

static _Atomic(chomp_task_t*) handles[4];

static void suspend(int which) {
  chomp_task_t* self = chomp_task_self();
  atomic_store(&handles[which], self);
  CHECK_EQ(chomp_task_suspend(self), 0);
}

static int resume(int which) {
  chomp_task_t* task = atomic_exchange(&handles[which], 0);
  if (task != 0) CHECK_EQ(chomp_task_resume(task), 0);
  return task != 0;
}

static void* resume_last(void* unused) {
  SPIN_UNTIL(resume(3));
  return unused;
}

int main(void) {
  int ended = 0, in_group = 0;
  pthread_t thread;
  chomp_task_self();
  CHECK_EQ(pthread_create(&thread, 0, resume_last, 0), 0);
#pragma omp parallel
#pragma omp single
  {
#pragma omp taskgroup
    {
#pragma omp task shared(in_group)
      {
        suspend(0);
        in_group = 1;
      }
#pragma omp task
      while (!resume(0)) {
        sched_yield();
#pragma omp taskyield
      }
    }
    CHECK_EQ(in_group, 1);
#pragma omp task shared(ended)
    {
#pragma omp task shared(ended)
      {
        suspend(1);
#pragma omp atomic
        ++ended;
      }
#pragma omp taskwait
#pragma omp atomic
      ++ended;
    }
#pragma omp task
    while (!resume(1)) {
      sched_yield();
#pragma omp taskyield
    }
#pragma omp task shared(ended)
    {
      suspend(3);
#pragma omp atomic
      ++ended;
    }
  }
  CHECK_EQ(ended, 3);
  CHECK_EQ(pthread_join(thread, 0), 0);
  return 0;
}
