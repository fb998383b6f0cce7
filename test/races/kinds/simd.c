// Vectorised loops. What lanes of one thread do to one another is out of reach; what threads do is not.
#include "kinds.h"

enum { kCount = 64 };
static int a[kCount + 8], b[kCount + 8];

PROGRAM(lanes_of_one_thread) { // out of reach
#pragma omp simd
  for (int i = 0; i < kCount; ++i) FAULT(a[i + 1]) CURE(b[i]) = a[i] + 1;
  return sum_of(b, 1);
}

PROGRAM(lanes_and_threads) {
#pragma omp parallel for simd
  for (int i = 0; i < kCount; ++i) FAULT(a) CURE(b)[i] = a[i + 1] + 1;
  return sum_of(b, 1);
}

PROGRAM(sum_of_lanes_and_threads) {
  int sum = 0;
#pragma omp parallel for simd CURE(reduction(+ : sum))
  for (int i = 0; i < kCount; ++i) sum += a[i] + 1;
  return sum > 0;
}

PROGRAM(blocks_that_overlap) {
#pragma omp parallel for
  for (int block = 0; block < 4; ++block) {
#pragma omp simd
    for (int i = 16 * block; i < 16 * block + 16 FAULT(+1); ++i) a[i] = i;
  }
  return sum_of(a, 1);
}

PROGRAM(tasks_of_lanes) {
#pragma omp parallel
#pragma omp single
#pragma omp taskloop simd num_tasks(4)
  for (int i = 0; i < kCount; ++i) FAULT(b[i] = b[i + 1] + 1) CURE(b[i] += 1);
  return sum_of(b, 1) >= 0;
}
