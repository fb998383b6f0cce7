// Every task runs exactly once: one producer, all threads producing, and a binary tree of producers.
// RUN: %clang-openmp %s -o %t && %for-threads %t
#include "support/check.h"
#include <omp.h>
#include <string.h>

enum { kTasks = SCALED(1 << 17) };
static unsigned char runs[kTasks];

static void all_ran_once(void) {
  for (int i = 0; i < kTasks; i++) CHECK_EQ(runs[i], 1);
  memset(runs, 0, sizeof runs);
}

static void produce(int begin, int end) {
  if (end - begin <= 8) {
    for (int i = begin; i < end; i++)
#pragma omp task firstprivate(i)
      runs[i]++;
    return;
  }
  int middle = begin + (end - begin) / 2;
#pragma omp task
  produce(begin, middle);
#pragma omp task
  produce(middle, end);
}

int main(void) {
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < kTasks; i++)
#pragma omp task firstprivate(i)
    runs[i]++;
  all_ran_once();

#pragma omp parallel
  for (int i = omp_get_thread_num(); i < kTasks; i += omp_get_num_threads())
#pragma omp task firstprivate(i)
    runs[i]++;
  all_ran_once();

#pragma omp parallel
#pragma omp single nowait
  produce(0, kTasks);
  all_ran_once();
  return 0;
}
