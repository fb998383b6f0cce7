// In a team with more threads than CPUs nobody is forgotten: tasks that only one of many sleepers may run, tasks left
// in the hands of a member that spins, tasks made by threads that sleep most of the time; round after round.
// RUN: %clang-openmp %s -o %t && %for-threads -t "3 8 33 200" %t
// RUN: %for-schedulers env OMP_NUM_THREADS=17 %t
// RUN: %if hwloc %{ env HWLOC_SYNTHETIC="package:4 core:2 pu:1" %for-threads -t "40" %t %}
#include "support/check.h"
#include <omp.h>

static int ran, flag;

// The creator spins until another thread has run its task: somebody must take it away.
static void spinning_owner(void) {
  flag = 0;
#pragma omp parallel
#pragma omp single
  {
#pragma omp task
    ATOMIC_STORE(flag, 1);
    SPIN_UNTIL(ATOMIC_LOAD(flag));
  }
}

// Each of two members waits in a tied task for its children, which lie behind other tasks.
static void tied_waits(void) {
  ran = 0;
#pragma omp parallel
  {
#pragma omp single nowait
    for (int i = 0; i < 8; i++)
#pragma omp task
    {
      for (int k = 0; k < 4; k++)
#pragma omp task
      {
        if (k == 3) usleep(100);
        ATOMIC_ADD(ran, 1);
      }
#pragma omp taskwait
      ATOMIC_ADD(ran, 1);
    }
  }
  CHECK_EQ(ran, 8 * 5);
}

static void trickle(void) {
  ran = 0;
#pragma omp parallel
  {
    int me = omp_get_thread_num();
    if (me % 4 == 1) {
      usleep(200);
#pragma omp task
      ATOMIC_ADD(ran, 1);
    }
#pragma omp barrier
#pragma omp single
    {
#pragma omp taskgroup
      for (int i = 0; i < 20; i++)
#pragma omp task
        ATOMIC_ADD(ran, 1);
    }
  }
  int n = atoi(getenv("OMP_NUM_THREADS"));
  CHECK_EQ(ran, 20 + (n + 2) / 4);
}

int main(void) {
  int rounds = SCALED(32) * stress_factor();
  for (int round = 0; round < rounds; round++) {
    spinning_owner();
    tied_waits();
    trickle();
  }
  return 0;
}
