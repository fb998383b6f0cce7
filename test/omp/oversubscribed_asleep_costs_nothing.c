// While one thread of a large team works, the others, far more than there are CPUs, sleep and cost next to nothing,
// whether or not the one that works has tasks in its hands; afterwards they all go on, and run what is left.
// RUN: %clang-openmp %s -o %t && %for-threads -t "200" %t
// RUN: env CHOMP_SCHEDULER=steal %for-threads -t "100" %t
// RUN: env CHOMP_SCHEDULER=fifo %for-threads -t "100" %t
#include "support/check.h"
#include <omp.h>
#include <sys/resource.h>
#include <time.h>

static int ran;

static double seconds(clockid_t clock) {
  struct timespec now;
  clock_gettime(clock, &now);
  return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static long sleeps(void) {
  struct rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  return usage.ru_nvcsw;
}

static void work(double cpu_seconds) {
  double end = seconds(CLOCK_THREAD_CPUTIME_ID) + cpu_seconds;
  while (seconds(CLOCK_THREAD_CPUTIME_ID) < end) burn(10000);
}

static void crowd(int tasks) {
#pragma omp parallel
  {
#pragma omp barrier
    if (omp_get_thread_num() == 0) {
      for (int i = 0; i < tasks; i++)
#pragma omp task
        ATOMIC_ADD(ran, 1);
      work(0.1); // the others go to sleep, and take the tasks
      double own = seconds(CLOCK_THREAD_CPUTIME_ID), all = seconds(CLOCK_PROCESS_CPUTIME_ID);
      double wall = seconds(CLOCK_MONOTONIC);
      long slept = sleeps();
      work(0.4);
      own = seconds(CLOCK_THREAD_CPUTIME_ID) - own, all = seconds(CLOCK_PROCESS_CPUTIME_ID) - all;
      wall = seconds(CLOCK_MONOTONIC) - wall, slept = sleeps() - slept;
      fprintf(stderr, "own %.3f, others %.3f, in %.3f s: %ld sleeps\n", own, all - own, wall, slept);
      CHECK(all - own < wall / 4);
      CHECK((double)slept < 3000 * wall);
    }
  }
}

int main(void) {
  crowd(0);
  crowd(100);
  CHECK_EQ(ran, 100);
  return 0;
}
