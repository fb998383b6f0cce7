// Threads that have not met a cancellation point of a cancelled region run ahead through loops whose shared state the
// others will not use or give back: doacross loops without a barrier, more than there can be in flight at once. They
// wait neither for room nor for iterations that will never be executed.
// RUN: %clang-openmp %s -o %t && env OMP_CANCELLATION=true %for-threads %t
// RUN: %if gomp %{ %gcc-openmp %s -o %t.gcc && env OMP_CANCELLATION=true %for-threads %t.gcc %}
#include "support/check.h"
#include <omp.h>

static int next_row[40];

static void region(int who) {
  int entered = 0, left = 0;
#pragma omp parallel shared(entered, left)
  {
    int me = omp_get_thread_num();
    ATOMIC_ADD(entered, 1);
#pragma omp cancel parallel if (me == who)
    for (int round = 0; round < 12; round++) {
#pragma omp for ordered(1) schedule(static, 1) nowait
      for (int i = 1; i < 40; i++) {
#pragma omp ordered depend(sink : i - 1)
        ATOMIC_ADD(next_row[i], 1);
#pragma omp ordered depend(source)
      }
    }
#pragma omp cancellation point parallel
    ATOMIC_ADD(left, 1);
  }
  CHECK_EQ(entered, omp_get_max_threads());
  CHECK(left < entered);
}

/// The next region is whole again: each iteration waits for the one before it.
static void whole(void) {
  int row[40] = {0};
#pragma omp parallel
  {
    for (int round = 0; round < 12; round++) {
#pragma omp for ordered(1) schedule(static, 1) nowait
      for (int i = 1; i < 40; i++) {
#pragma omp ordered depend(sink : i - 1)
        row[i] = row[i - 1] + 1;
#pragma omp ordered depend(source)
      }
#pragma omp barrier
    }
  }
  for (int i = 0; i < 40; i++) CHECK_EQ(row[i], i);
}

int main(void) {
  CHECK(omp_get_cancellation());
  for (int round = 0; round < 40; round++) {
    region(round % omp_get_max_threads());
    if (round % 4 == 0) whole();
  }
  return 0;
}
