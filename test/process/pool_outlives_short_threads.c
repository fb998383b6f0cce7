// A program that uses OpenMP from one short thread after the other does not get new pool threads each time.
// RUN: %clang-openmp %s -o %t && env OMP_NUM_THREADS=4 %chomp-run %t
#include "support/check.h"
#include <omp.h>
#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { kRounds = 200, kThreads = 4 };

static long seen[kRounds * kThreads];
static int different;

static void note(long id) {
  for (int i = 0; i < different; i++)
    if (seen[i] == id) return;
  seen[different++] = id;
}

static void* uses_openmp(void* unused) {
#pragma omp parallel num_threads(kThreads)
  {
    long id = omp_get_thread_num() == 0 ? 0 : syscall(SYS_gettid);
#pragma omp critical
    note(id);
  }
  return unused;
}

int main(void) {
  for (int round = 0; round < kRounds; round++) {
    pthread_t thread;
    CHECK_EQ(pthread_create(&thread, NULL, uses_openmp, NULL), 0);
    CHECK_EQ(pthread_join(thread, NULL), 0);
  }
  // On a busy machine the pool may end now and then; were it made anew each time there would be 3 threads a round.
  CHECK(different < kRounds * (kThreads - 1) / 2);
  return 0;
}
