// A task may change its settings so often that a runtime runs out of room for blocks that tasks share. It and its
// children see what was set last, also after a return to earlier settings, in one region after the other.
// RUN: %clang-openmp %s -o %t && %for-threads %t
#include <omp.h>

#include "support/check.h"

enum { kDistinct = 700 };

static void set(int i) {
  omp_set_schedule(i % 2 ? omp_sched_dynamic : omp_sched_guided, i / 2 + 1);
  omp_set_num_threads(i % 3 + 1);
}

static void check(int i) {
  omp_sched_t kind;
  int chunk;
  omp_get_schedule(&kind, &chunk);
  CHECK_EQ(kind, i % 2 ? omp_sched_dynamic : omp_sched_guided);
  CHECK_EQ(chunk, i / 2 + 1);
  CHECK_EQ(omp_get_max_threads(), i % 3 + 1);
}

static void set_and_check(int i) {
  set(i);
  check(i);
#pragma omp task firstprivate(i)
  {
    check(i);
    set(i + 1);
    check(i + 1);
  }
}

int main(void) {
  for (int round = 0; round < 3; round++) {
#pragma omp parallel
    {
      for (int i = 0; i < kDistinct; i++) set_and_check(i);
      for (int i = kDistinct; i-- > 0;) set_and_check(i);
    }
  }
  return 0;
}
