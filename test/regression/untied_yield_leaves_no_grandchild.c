// What a child of an untied task has made is waited for by the taskgroup, the barrier and the region around them, also
// if the untied task yields in between and goes on elsewhere: the grandchild lies in the deque that it has left.
// RUN: %clang-openmp %s -o %t && %for-threads -t "1 2 3 8" %t
#include "support/check.h"
#include <omp.h>
#include <stdatomic.h>
#include <unistd.h>

static atomic_int begun, ended;

static void untied_task(void) {
  atomic_store(&begun, 0);
  atomic_store(&ended, 0);
#pragma omp task untied
  {
    atomic_store(&begun, 1);
#pragma omp task
#pragma omp task
    {
      usleep(10000);
      atomic_store(&ended, 1);
    }
#pragma omp taskyield
  }
  if (omp_get_num_threads() > 1) SPIN_UNTIL(atomic_load(&begun)); // on another thread
}

static void group_waits(void) {
#pragma omp parallel
#pragma omp single
  {
#pragma omp taskgroup
    untied_task();
    CHECK(ended);
  }
}

static void barrier_waits(void) {
#pragma omp parallel
  {
#pragma omp single nowait
    untied_task();
#pragma omp barrier
    CHECK(ended);
  }
}

// The parent has arrived when its thread goes on with the task: what that leaves does not hang below the parent.
static void barrier_of_the_parent_waits(void) {
#pragma omp parallel
  {
    if (omp_get_thread_num() == 0) {
      atomic_store(&begun, 0);
      atomic_store(&ended, 0);
#pragma omp task untied
      {
        atomic_store(&begun, 1);
        for (int i = 0; i < 10000 && omp_get_thread_num() != 0; i++) {
#pragma omp taskyield
        }
#pragma omp task
#pragma omp task
        {
          usleep(10000);
          atomic_store(&ended, 1);
        }
        for (int i = 0; i < 100 && omp_get_thread_num() == 0; i++) {
#pragma omp taskyield
        }
      }
      if (omp_get_num_threads() > 1) SPIN_UNTIL(atomic_load(&begun)); // on another thread
    }
#pragma omp barrier
    CHECK(ended);
  }
}

static void region_waits(void) {
#pragma omp parallel
#pragma omp single nowait
  untied_task();
  CHECK(ended);
}

int main(void) {
  for (int round = 0; round < 6; round++) {
    group_waits();
    barrier_waits();
    barrier_of_the_parent_waits();
    region_waits();
  }
  return 0;
}
