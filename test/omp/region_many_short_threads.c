// Hundreds of short-lived threads that each fork a region leave neither threads nor memory behind.
// RUN: %clang-openmp %s -o %t && %for-threads -t 2 %t
#include "support/process.h"
#include <omp.h>
#include <pthread.h>

enum { kThreads = SCALED(480), kAtOnce = 4, kWarmUp = SCALED(160) };

static void* short_life(void* unused) {
  int sum = 0;
#pragma omp parallel num_threads(2) reduction(+ : sum)
  {
    sum++;
#pragma omp task
    burn(100);
  }
  CHECK_EQ(sum, 2);
  omp_set_num_threads(3);
  int locals = 0;
#pragma omp parallel for reduction(+ : locals)
  for (int i = 0; i < 10; i++) locals++;
  CHECK_EQ(locals, 10);
  return 0;
}

int main(void) {
  long memory = 0;
  for (int i = 0; i < kThreads; i += kAtOnce) {
    if (i >= kWarmUp && !memory) memory = peak_memory();
    pthread_t threads[kAtOnce];
    for (int k = 0; k < kAtOnce; k++) CHECK_EQ(pthread_create(&threads[k], 0, short_life, 0), 0);
    for (int k = 0; k < kAtOnce; k++) pthread_join(threads[k], 0);
    CHECK(thread_count() <= 1 + 3 * kAtOnce + 4);
  }
  CHECK(peak_memory() - memory < 16 * 1024);
  return 0;
}
