// Threads of the program that use OpenMP end at any time, one after the other and together, while others go on: by
// returning, by pthread_exit() and by pthread_cancel() outside of regions. No thread of the runtime is lost to them.
// RUN: %clang-openmp %s -o %t && %for-threads -t "1 2 3 8" %t
// RUN: %if gomp %{ %gcc-openmp %s -o %t.gcc && %for-threads -t "1 2 3 8" %t.gcc %}
#include "support/process.h"
#include "support/regions.h"
#include <pthread.h>
#include <time.h>

enum { kTogether = 4 };
static int ready;

static void* by_return(void* unused) {
  use_openmp(0);
  return unused;
}

static void* by_pthread_exit(void* unused) {
  use_openmp(0);
  pthread_exit(unused);
}

static void* by_cancel(void* unused) {
  use_openmp(0);
  ATOMIC_ADD(ready, 1);
  for (;;) nanosleep(&(struct timespec){.tv_sec = 100}, NULL); // a cancellation point
  return unused;
}

static void* never_uses(void* unused) { return unused; }

int main(void) {
  void* (*ways[])(void*) = {by_return, by_pthread_exit, by_cancel, never_uses};
  long after_first = 0;
  for (int round = 0; round < SCALED(32); round++) {
    pthread_t threads[kTogether];
    int cancelled = 0;
    for (int i = 0; i < kTogether; i++) {
      int way = round % 5 == 4 ? i : round % 5;
      cancelled += way == 2;
      CHECK_EQ(pthread_create(&threads[i], NULL, ways[way], NULL), 0);
    }
    if (round % 2) use_openmp(0);
    SPIN_UNTIL(ATOMIC_LOAD(ready) == cancelled);
    for (int i = 0; i < kTogether; i++) {
      int way = round % 5 == 4 ? i : round % 5;
      if (way == 2) CHECK_EQ(pthread_cancel(threads[i]), 0);
      void* result;
      CHECK_EQ(pthread_join(threads[i], &result), 0);
      CHECK(result == (way == 2 ? PTHREAD_CANCELED : NULL));
    }
    ATOMIC_STORE(ready, 0);
    // A joined thread has given its team back: later rounds need no more threads than five teams at once.
    if (round == 0) after_first = thread_count();
    CHECK(thread_count() <= after_first + (kTogether + 2) * omp_get_max_threads());
  }
  return 0;
}
