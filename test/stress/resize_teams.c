// Regions in quick succession whose teams change size at random, some nested, each with tasks, a loop and a barrier:
// nothing is lost, and threads do not pile up.
// RUN: %clang-openmp %s -o %t && %for-threads -t 8 %t
#include "support/process.h"
#include "support/random.h"
#include <omp.h>

int main(void) {
  uint64_t seed = random_seed();
  omp_set_max_active_levels(2);
  for (int round = 0; round < SCALED(480) * stress_factor(); round++) {
    uint64_t random = random_hash(seed + (uint64_t)round);
    int n = 1 + (int)(random % 17), inner = random >> 8 & 7 ? 0 : 2 + (int)(random >> 16 & 1);
    long tasks = 0, iterations = 0, deep = 0;
#pragma omp parallel num_threads(n)
    {
      CHECK_EQ(omp_get_num_threads(), n);
#pragma omp task shared(tasks)
#pragma omp task shared(tasks)
      ATOMIC_ADD(tasks, 1);
#pragma omp for schedule(dynamic) nowait
      for (int i = 0; i < 50; i++) ATOMIC_ADD(iterations, 1);
      if (inner) {
#pragma omp parallel num_threads(inner)
#pragma omp task shared(deep)
        ATOMIC_ADD(deep, 1);
      }
#pragma omp barrier
      CHECK_EQ(ATOMIC_LOAD(tasks), n);
    }
    CHECK_EQ(iterations, 50);
    CHECK_EQ(deep, n * inner);
    CHECK(thread_count() <= 17 * 3 + 8);
  }
  return 0;
}
