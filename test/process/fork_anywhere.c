// fork() from inside a region (by its primary thread and by others), with tasks pending, in a region of one thread, by
// a thread that never used OpenMP, and by many threads at once while others run regions: parent and child both go on
// with whole regions of their own, and a child may fork again.
// UNSUPPORTED: sanitizer-thread
// RUN: %clang-openmp %s -o %t && %for-threads -t "1 2 3 8" %t
// RUN: %if gomp %{ %gcc-openmp %s -o %t.gcc && %for-threads -t "1 2 3 8" %t.gcc %}
#include "support/children.h"
#include "support/regions.h"
#include <pthread.h>

static void fork_and_use(int depth) {
  pid_t child = fork_checked();
  if (child == 0) {
    use_openmp(3);
    use_openmp(0);
    if (depth) fork_and_use(depth - 1);
    exit(7);
  }
  use_openmp(2); // both at once
  expect_status(child, 7);
}

static void in_region(void) {
#pragma omp parallel
  {
    if (omp_get_thread_num() == 0) fork_and_use(1);
#pragma omp barrier
    if (omp_get_thread_num() == omp_get_num_threads() - 1) fork_and_use(1);
#pragma omp critical // one child at a time: two would hold each other's pipes open, were there any
    fork_and_use(0);
#pragma omp single
    {
      long done = 0;
      for (int i = 0; i < 200; i++)
#pragma omp task shared(done)
        ATOMIC_ADD(done, 1);
      fork_and_use(1); // the child knows nothing of these tasks; the parent keeps them all
#pragma omp taskwait
      CHECK_EQ(ATOMIC_LOAD(done), 200);
    }
#pragma omp single
    {
#pragma omp task
      fork_and_use(1);
    }
  }
}

static void in_region_of_one_thread(void) { // which the child leaves, too
  pid_t child;
  use_openmp(3);
#pragma omp parallel num_threads(1)
  child = fork_checked();
  use_openmp(3);
  if (child == 0) exit(7);
  expect_status(child, 7);
}

static void* forks(void* unused) { // a thread that OpenMP does not know
  fork_and_use(0);
  return unused;
}

static int stop;
static void* runs(void* unused) {
  while (!ATOMIC_LOAD(stop)) use_openmp(2);
  return unused;
}

static void* comes_and_goes(void* unused) {
  use_openmp(3);
  return unused;
}

static void storm(void) {
  pthread_t runners[2], passer_by;
  ATOMIC_STORE(stop, 0);
  for (int i = 0; i < 2; i++) CHECK_EQ(pthread_create(&runners[i], NULL, runs, NULL), 0);
  for (int round = 0; round < SCALED(30); round++) {
    CHECK_EQ(pthread_create(&passer_by, NULL, comes_and_goes, NULL), 0);
    fork_and_use(0);
    CHECK_EQ(pthread_join(passer_by, NULL), 0);
    CHECK_EQ(pthread_create(&passer_by, NULL, forks, NULL), 0);
    use_openmp(0);
    CHECK_EQ(pthread_join(passer_by, NULL), 0);
  }
  ATOMIC_STORE(stop, 1);
  for (int i = 0; i < 2; i++) CHECK_EQ(pthread_join(runners[i], NULL), 0);
}

int main(void) {
  pthread_t first;
  CHECK_EQ(pthread_create(&first, NULL, forks, NULL), 0); // before any thread used OpenMP
  CHECK_EQ(pthread_join(first, NULL), 0);
  for (int levels = 1; levels <= 2; levels++) {
    omp_set_max_active_levels(levels);
    in_region();
    in_region_of_one_thread();
  }
  storm();
  return 0;
}
