// Members that wait for their turn in an ordered loop go on when their parallel region is cancelled: the turns of those
// that have left it never come. Their ordered regions are executed one at a time all the same.
// RUN: %clang-openmp %s -o %t && env OMP_CANCELLATION=true %for-threads %t
// RUN: %if gomp %{ %gcc-openmp %s -o %t.gcc && env OMP_CANCELLATION=true %for-threads %t.gcc %}
#include "support/check.h"
#include <omp.h>

enum { kIterations = 64 };

static int inside, passed; // plain: one thread at a time writes them

static void in_turn(int i, int every_turn) {
  CHECK_EQ(inside, 0);
  inside = 1;
  burn(200);
  if (every_turn) CHECK_EQ(passed, i);
  passed++;
  inside = 0;
}

#define ORDERED_LOOP(directive)                                                                                        \
  _Pragma(directive) for (int i = 0; i < kIterations; i++) { _Pragma("omp ordered") in_turn(i, who < 0); }

/// The member `who` leaves before the loop, of which it would have had a part; -1: nobody does.
static void region(int who, int kind) {
  inside = passed = 0;
#pragma omp parallel
  {
    int me = omp_get_thread_num();
#pragma omp cancel parallel if (me == who)
    if (kind == 0) ORDERED_LOOP("omp for ordered schedule(static, 1)")
    if (kind == 1) ORDERED_LOOP("omp for ordered schedule(static)")
    if (kind == 2) ORDERED_LOOP("omp for ordered schedule(dynamic)")
  }
  CHECK_EQ(inside, 0);
  if (who < 0) CHECK_EQ(passed, kIterations);
  if (who >= 0 && kind < 2) CHECK(passed < kIterations);
}

int main(void) {
  CHECK(omp_get_cancellation());
  for (int round = 0; round < 12; round++)
    for (int kind = 0; kind < 3; kind++) {
      region(round % omp_get_max_threads(), kind);
      region(-1, kind);
    }
  return 0;
}
