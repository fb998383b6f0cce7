// A task that names data which a member of another domain used last waits in that domain: its member takes it before it
// steals an older task that has no such clause. Nothing else orders the two.
// REQUIRES: hwloc
// RUN: %clang-openmp %s -o %t && env HWLOC_SYNTHETIC="package:2 l3:1 core:1 pu:1" OMP_NUM_THREADS=2 %chomp-run %t
#include "support/check.h"
#include <omp.h>
#include <stdatomic.h>

static long data[64];
static atomic_int learned, busy, go, order;

// Without a scheduling point, so that the other thread has to run what this one makes.
static void until(atomic_int* word, int value) {
  while (atomic_load(word) < value) {
  }
}

int main(void) {
  int plain = 0, near = 0;
#pragma omp parallel num_threads(2)
#pragma omp masked
  {
    CHECK_EQ(omp_get_num_threads(), 2);
#pragma omp task affinity(data) depend(out : data)
    data[0]++;
    // When the next one runs, the other thread has finished this one and remembered that.
#pragma omp task depend(in : data)
    {
      CHECK_EQ(omp_get_thread_num(), 1);
      atomic_store(&learned, 1);
    }
    until(&learned, 1);
#pragma omp task
    {
      atomic_store(&busy, 1);
      until(&go, 1);
    }
    until(&busy, 1);
#pragma omp task shared(plain)
    plain = atomic_fetch_add(&order, 1) + 1;
#pragma omp task affinity(data) shared(near)
    near = atomic_fetch_add(&order, 1) + 1;
    atomic_store(&go, 1);
    until(&order, 2);
  }
  CHECK_EQ(near, 1);
  CHECK_EQ(plain, 2);
  return 0;
}
