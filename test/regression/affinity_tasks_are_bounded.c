// A creator whose tasks name data that another domain used last does not make more and more of them while that domain
// does not get on: from some thousands that wait on, it runs them itself, as other tasks.
// RUN: %clang-openmp %s -o %t
// RUN: %if hwloc %{ env HWLOC_SYNTHETIC="pack:2 core:2 pu:1" OMP_NUM_THREADS=4 %chomp-run %t %}
#include "support/check.h"
#include <omp.h>
#include <sched.h>

enum { kTasks = 40000, kMost = 10000, kBlocks = 32, kWords = 16 };

static long blocks[kBlocks][kWords];
static int used, busy, go, ran;

int main(void) {
#pragma omp parallel
#pragma omp single
  if (omp_get_num_threads() == 4) {
    // The blocks are used by the other threads, of which two are in the other domain.
    for (int b = 0; b < kBlocks; b++) {
#pragma omp task affinity(blocks[b][0 : kWords])
      {
        burn(20000);
        ATOMIC_ADD(used, 1);
      }
    }
    while (ATOMIC_LOAD(used) < kBlocks) sched_yield();
    // Then all other threads are busy until all tasks are made.
    for (int i = 0; i < 3; i++) {
#pragma omp task
      {
        ATOMIC_ADD(busy, 1);
        while (!ATOMIC_LOAD(go)) sched_yield();
      }
    }
    while (ATOMIC_LOAD(busy) < 3) sched_yield();
    int most = 0;
    for (int i = 0; i < kTasks; i++) {
      long* block = blocks[i % kBlocks];
#pragma omp task affinity(block[0 : kWords])
      ATOMIC_ADD(ran, 1);
      int waiting = i + 1 - ATOMIC_LOAD(ran);
      if (waiting > most) most = waiting;
    }
    ATOMIC_STORE(go, 1);
#pragma omp taskwait
    CHECK_EQ(ATOMIC_LOAD(ran), kTasks);
    CHECK(most < kMost);
  }
  return 0;
}
