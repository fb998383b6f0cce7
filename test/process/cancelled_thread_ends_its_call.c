// pthread_cancel() takes effect in the program's own cancellation points, never inside the runtime: a thread with a
// pending cancellation ends its call, though that starts the runtime, writes messages and reads files, and others use
// OpenMP afterwards. A thread of the pool is not cancelled at all: its team would wait for it for ever.
// UNSUPPORTED: sanitizer-thread
// RUN: %clang-openmp %s -o %t && %for-threads -t "1 2 8" %t
// RUN: env OMP_DISPLAY_ENV=verbose OMP_DISPLAY_AFFINITY=true CHOMP_STATS=%t.stats %chomp-run %t 2>%t.said
// RUN: env CHOMP_RECORD=%t.record CHOMP_WATCHDOG=60 OMP_TOOL_VERBOSE_INIT=%t.tools %chomp-run %t
// RUN: %if gomp %{ %gcc-openmp %s -o %t.gcc && %for-threads -t "1 2 8" %t.gcc %}
#include "support/children.h"
#include "support/regions.h"
#include <pthread.h>

enum { kThreads = 3 };

static void region(void) { use_openmp(kThreads); }

static void query(void) { CHECK(omp_get_max_threads() >= 1); }

static void messages(void) {
  omp_display_env(1);
#pragma omp parallel num_threads(kThreads)
  omp_display_affinity(NULL);
}

/// Two regions, with the same threads: those of the pool have passed cancellation points of the program meanwhile.
static void pool_threads(void) {
  for (int round = 0; round < 2; round++) {
    int passed = 0;
#pragma omp parallel num_threads(kThreads)
    if (omp_get_thread_num() != 0) {
      CHECK_EQ(pthread_cancel(pthread_self()), 0);
      usleep(1000);
      ATOMIC_ADD(passed, 1);
    }
    CHECK_EQ(passed, kThreads - 1);
  }
}

static void many_regions(void) {
  for (int i = 0; i < SCALED(500); i++) region();
}

static void (*const kCalls[])(void) = {region, query, messages, pool_threads, many_regions};
enum { kCallCount = sizeof kCalls / sizeof *kCalls };

static int ended; // the last call has returned

static void* cancelled_first(void* call) {
  CHECK_EQ(pthread_cancel(pthread_self()), 0);
  kCalls[(long)call]();
  ended = 1;
  pthread_testcancel();
  return NULL;
}

static void* may_be_cancelled(void* unused) {
  region();
  return unused;
}

static void join_cancelled(pthread_t thread) {
  void* result;
  CHECK_EQ(pthread_join(thread, &result), 0);
  CHECK(result == PTHREAD_CANCELED);
  CHECK(ended);
}

int main(void) {
  for (long call = 0; call < kCallCount; call++) {
    pid_t child = fork_checked(); // the call is the first of its process
    if (child == 0) {
      pthread_t thread;
      CHECK_EQ(pthread_create(&thread, NULL, cancelled_first, (void*)call), 0);
      join_cancelled(thread);
      region();
      exit(0);
    }
    expect_status(child, 0);
  }
  // At any moment of the first region.
  for (int delay = 0; delay < SCALED(48); delay++) {
    pid_t child = fork_checked();
    if (child == 0) {
      pthread_t thread;
      CHECK_EQ(pthread_create(&thread, NULL, may_be_cancelled, NULL), 0);
      usleep(10 * delay);
      pthread_cancel(thread);
      CHECK_EQ(pthread_join(thread, NULL), 0);
      region();
      exit(0);
    }
    expect_status(child, 0);
  }
  return 0;
}
