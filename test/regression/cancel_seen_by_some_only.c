// A cancelled region ends although some of its threads meet no cancellation point on their way to its end, and although
// others wait in barriers, of the region itself or in functions that it calls.
// libomp 19 hangs.
// RUN: %clang-openmp %s -o %t && env OMP_CANCELLATION=true %for-threads %t
#include "support/check.h"
#include <omp.h>

__attribute__((noinline)) static void orphaned_barrier(void) {
#pragma omp barrier
}

int main(void) {
  for (int round = 0; round < SCALED(400); round++) {
    int to_the_end = 0, threads = 0, canceller = round % omp_get_max_threads();
#pragma omp parallel reduction(+ : threads) shared(to_the_end)
    {
      int me = omp_get_thread_num();
      threads++;
      if (me == canceller) {
#pragma omp cancel parallel
      } else if (me % 3 == 0) {
#pragma omp barrier
        ATOMIC_ADD(to_the_end, 1000); // the barrier is a cancellation point: nobody gets here
      } else if (me % 3 == 1) {
        orphaned_barrier();
#pragma omp cancellation point parallel
        ATOMIC_ADD(to_the_end, 1000);
      }
      if (me != canceller) ATOMIC_ADD(to_the_end, 1);
    }
    int expected = 0;
    for (int me = 0; me < omp_get_max_threads(); me++) expected += me != canceller && me % 3 == 2;
    CHECK_EQ(to_the_end, expected);
  }
  return 0;
}
