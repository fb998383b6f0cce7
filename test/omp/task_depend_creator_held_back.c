// A creator of chains does not run away from the threads that run them: the tasks at the heads are run too, not only
// those that became ready last, behind which everything else would pile up. With one chain the creator has no task to
// run at all.
// RUN: %clang-openmp %s -o %t && %for-threads %t
#include "support/check.h"
#include <stdatomic.h>

static atomic_int ran;

static void chains(int count) {
  const int tasks = SCALED(1 << 17);
  char chain[64];
  int most = 0;
  ran = 0;
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < tasks; i++) {
#pragma omp task depend(inout : chain[i % count])
    atomic_fetch_add_explicit(&ran, 1, memory_order_relaxed);
    int waiting = i + 1 - atomic_load_explicit(&ran, memory_order_relaxed);
    if (waiting > most) most = waiting;
  }
  CHECK_EQ(ran, tasks);
  CHECK(most < 1 << 13);
}

int main(void) {
  chains(64);
  chains(1);
  return 0;
}
