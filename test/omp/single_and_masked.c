// single runs once, by any thread; copyprivate gives its value to all; master and masked run on the thread they name;
// sections run once each.
// RUN: %clang-openmp -fopenmp-version=51 %s -o %t && %for-threads %t
#include "support/check.h"
#include <omp.h>

int main(void) {
  int singles = 0, nowait = 0, masters = 0, masked = 0, section[3] = {0};
  enum { kRounds = SCALED(320) };
#pragma omp parallel
  {
    int n = omp_get_num_threads();
    for (int round = 0; round < kRounds; round++) {
      int value = -1;
      long array[3] = {0};
#pragma omp single copyprivate(value, array)
      {
        ATOMIC_ADD(singles, 1);
        value = round;
        array[2] = round * 2;
      }
      CHECK_EQ(value, round);
      CHECK_EQ(array[2], round * 2);
#pragma omp single nowait
      ATOMIC_ADD(nowait, 1);
#pragma omp master
      {
        CHECK_EQ(omp_get_thread_num(), 0);
        ATOMIC_ADD(masters, 1);
      }
#pragma omp masked filter(round % n)
      {
        CHECK_EQ(omp_get_thread_num(), round % n);
        ATOMIC_ADD(masked, 1);
      }
#pragma omp sections
      {
#pragma omp section
        ATOMIC_ADD(section[0], 1);
#pragma omp section
        ATOMIC_ADD(section[1], 1);
#pragma omp section
        ATOMIC_ADD(section[2], 1);
      }
      for (int i = 0; i < 3; i++) CHECK(ATOMIC_LOAD(section[i]) >= round + 1);
    }
  }
  CHECK_EQ(singles, kRounds);
  CHECK_EQ(nowait, kRounds);
  CHECK_EQ(masters, kRounds);
  CHECK_EQ(masked, kRounds);
  for (int i = 0; i < 3; i++) CHECK_EQ(section[i], kRounds);
  int last = -1;
#pragma omp parallel sections lastprivate(last)
  {
#pragma omp section
    last = 1;
#pragma omp section
    last = 2;
  }
  CHECK_EQ(last, 2);
  return 0;
}
