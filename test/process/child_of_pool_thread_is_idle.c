// A thread of the pool forks. The child, whose only thread that is, runs nested regions as any process does, and when
// it has nothing to do, its threads sleep.
// UNSUPPORTED: sanitizer-thread
// RUN: %clang-openmp %s -o %t && %for-threads -t "2 3 8" %t
// RUN: %if gomp %{ %gcc-openmp %s -o %t.gcc && %for-threads -t "2" %t.gcc %}
#include "support/children.h"
#include "support/regions.h"
#include <sys/resource.h>
#include <time.h>

static long sleeps(void) {
  struct rusage used;
  CHECK_EQ(getrusage(RUSAGE_SELF, &used), 0);
  return used.ru_nvcsw;
}

static void child(void) {
  use_openmp(3);
  nanosleep(&(struct timespec){.tv_nsec = 50000000}, NULL); // the nested team has gone to sleep
  long before = sleeps();
  nanosleep(&(struct timespec){.tv_nsec = 400000000}, NULL);
  CHECK(sleeps() - before < 100); // each thread may look now and then
  use_openmp(3);
  _exit(7);
}

int main(void) {
  omp_set_max_active_levels(4);
#pragma omp parallel
  if (omp_get_thread_num() == omp_get_num_threads() - 1) {
    pid_t made = fork_checked();
    if (made == 0) child();
    expect_status(made, 7);
  }
  return 0;
}
