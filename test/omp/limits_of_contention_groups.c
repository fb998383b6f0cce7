// thread_limit counts the threads that work in a contention group: nested regions share what the limit leaves, a team
// of a league has its own limit, and neither other groups nor idle threads count against it.
// RUN: %clang-openmp %s -o %t && env OMP_MAX_ACTIVE_LEVELS=3 %for-threads -t "3" %t
// RUN: env OMP_MAX_ACTIVE_LEVELS=3 OMP_THREAD_LIMIT=5 %for-threads -t "3" %t limited
#include "support/check.h"
#include <omp.h>
#include <pthread.h>

// How many threads work in nested regions of 4 threads each, all of which have begun before one of them ends.
static int nested(void) {
  int begun = 0, threads = 0;
#pragma omp parallel num_threads(4)
  {
    int regions = omp_get_num_threads();
#pragma omp parallel num_threads(4)
    {
      if (omp_get_thread_num() == 0) {
        ATOMIC_ADD(threads, omp_get_num_threads());
        ATOMIC_ADD(begun, 1);
        SPIN_UNTIL(ATOMIC_LOAD(begun) == regions);
      }
    }
  }
  return threads;
}

static int size_of(int wanted) {
  int size = 0;
#pragma omp parallel num_threads(wanted)
#pragma omp single
  size = omp_get_num_threads();
  return size;
}

static void* other_thread(void* size) {
  *(int*)size = size_of(3);
  return NULL;
}

int main(int argc, char** argv) {
  (void)argv;
  if (argc > 1) { // OMP_THREAD_LIMIT=5
    CHECK_EQ(omp_get_thread_limit(), 5);
    CHECK_EQ(size_of(8), 5);
    CHECK(nested() <= 5);
    int other = 0;
#pragma omp parallel num_threads(4)
#pragma omp single
    {
      pthread_t thread; // a group of its own
      CHECK_EQ(pthread_create(&thread, NULL, other_thread, &other), 0);
      pthread_join(thread, NULL);
    }
    CHECK_EQ(other, 3);
    return 0;
  }
  CHECK_EQ(nested(), 16);
#pragma omp teams num_teams(2) thread_limit(6)
  {
    CHECK_EQ(omp_get_thread_limit(), 6);
    CHECK_EQ(size_of(8), 6);
    CHECK(nested() <= 6);
    CHECK_EQ(size_of(8), 6); // all have been given back
  }
  omp_set_teams_thread_limit(2);
#pragma omp teams num_teams(2)
  {
    CHECK_EQ(omp_get_thread_limit(), 2);
    CHECK_EQ(size_of(8), 2);
  }
  CHECK_EQ(size_of(8), 8);
  return 0;
}
