// Tasks created by a task that then works for long, without any scheduling point, are run by the idle threads
// meanwhile: the creator here never ends unless the others run all of them. From the region's body, from a task, and
// from each of several tasks in turn, after the team has had time to fall asleep.
// RUN: %clang-openmp %s -o %t && %for-threads -t "2 3 8 33" %t
#include "support/check.h"
#include <omp.h>
#include <time.h>

enum { kTasks = 100 };

static void create_and_spin(void) {
  int ran = 0;
  for (int i = 0; i < kTasks; i++)
#pragma omp task shared(ran)
    __atomic_fetch_add(&ran, 1, __ATOMIC_RELEASE); // the creator returns when it sees the last one: `ran` is gone then
  SPIN_UNTIL(ATOMIC_LOAD(ran) == kTasks);
}

int main(void) {
  CHECK(omp_get_max_threads() > 1);
#pragma omp parallel
#pragma omp single
  {
    create_and_spin();
#pragma omp task
    create_and_spin();
#pragma omp taskwait // two of them at once would need a third thread
#pragma omp task untied
    create_and_spin();
#pragma omp taskwait
    nanosleep(&(struct timespec){.tv_nsec = 300000000}, 0); // longer than any blocktime
    create_and_spin();
    for (int i = 0; i < SCALED(160); i++)
#pragma omp task if (0)
      create_and_spin();
  }
  return 0;
}
