// While one thread of a large team works, the others, far more than there are CPUs, sleep and cost next to nothing,
// whether or not the one that works has tasks in its hands; afterwards they all go on, and run what is left. Those of
// a chip that have slept in a region or barrier are woken by one system call.
// RUN: %clang-openmp %s -rdynamic -ldl -o %t && %for-threads -t "200" %t
// RUN: env CHOMP_SCHEDULER=steal %for-threads -t "100" %t
// RUN: env CHOMP_SCHEDULER=fifo %for-threads -t "100" %t
#include "support/check.h"
#include "support/system_calls.h"
#include <errno.h>
#include <linux/futex.h>
#include <omp.h>
#include <sys/resource.h>
#include <time.h>

enum { kRegions = 30, kFutexWaitv = 449 };

static int ran;
static _Thread_local int wakes; // that this thread has made

static void on_system_call(long number, const long* argument) {
  if (number == SYS_futex && (argument[1] & FUTEX_CMD_MASK) == FUTEX_WAKE) wakes++;
}

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

// The others arrive, and sleep, long before the first thread. Their sleep ends by itself after 10 ms, so a region that
// took as long, since others had the CPUs, says nothing.
static void short_regions(void) {
  int quick = 0, wakes_in_quick = 0;
  for (int i = 0; i < kRegions; i++) {
    double began = seconds(CLOCK_MONOTONIC);
    wakes = 0;
#pragma omp parallel
    {
#pragma omp master
      work(0.002);
#pragma omp barrier
#pragma omp master
      work(0.002);
    }
    if (seconds(CLOCK_MONOTONIC) - began > 0.01) continue;
    quick++;
    wakes_in_quick += wakes;
  }
  fprintf(stderr, "%d wakes in %d quick regions\n", wakes_in_quick, quick);
  if (syscall(kFutexWaitv, 0, 0, 0, 0, 0) != 0 && errno == EINVAL) // Linux 5.16 or later
    CHECK(wakes_in_quick <= quick * 20);
}

int main(void) {
  short_regions();
  crowd(0);
  crowd(100);
  CHECK_EQ(ran, 100);
  return 0;
}
