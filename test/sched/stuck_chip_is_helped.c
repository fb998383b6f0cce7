// Short tasks have taught two chips to leave each other alone. Then all threads of one of them wait outside OpenMP for
// tasks that one has made: the other chip finds those in time, whether they have a priority or not, though its threads
// may be asleep. tools/explore --machine "pack:2 l3:1 core:3 pu:1" --threads 6 explores it.
// REQUIRES: hwloc
// RUN: %clang-openmp %s -o %t
// RUN: env OMP_NUM_THREADS=6 HWLOC_SYNTHETIC="pack:2 l3:1 core:3 pu:1" KMP_BLOCKTIME=0 %chomp-run %t
// RUN: env OMP_NUM_THREADS=6 HWLOC_SYNTHETIC="pack:2 l3:1 core:3 pu:1" %chomp-run %t
#include <omp.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>

enum { kShort = 300, kRounds = 4 };

static int ran, sum;

static void make_short_tasks(int round) {
  for (int i = 0; i < kShort; i++) {
#pragma omp task priority(i % 2 * (round % 2))
    __atomic_fetch_add(&sum, 1, __ATOMIC_RELAXED);
  }
#pragma omp taskwait
}

static void make_long_task(int round) {
  if (round % 2 == 0) {
#pragma omp task
    __atomic_store_n(&ran, 1, __ATOMIC_RELEASE);
  } else {
#pragma omp task priority(1)
    __atomic_store_n(&ran, 1, __ATOMIC_RELEASE);
  }
}

int main(void) {
  setenv("OMP_MAX_TASK_PRIORITY", "1", 1); // the runtime reads it at the first construct
  for (int round = 0; round < kRounds; round++) {
    int threads = 0; // the system may give fewer than are asked for
    ran = sum = 0;
#pragma omp parallel shared(threads)
    {
      int thread = omp_get_thread_num(), last = omp_get_num_threads() - 1;
      if (thread == 0) threads = last + 1;
      if (thread == 0) make_short_tasks(round);
      if (thread == 0 && last > 0) make_long_task(round);
      while (thread < last && !__atomic_load_n(&ran, __ATOMIC_ACQUIRE)) sched_yield();
    }
    if (sum != kShort || (ran != 1 && threads > 1)) {
      fprintf(stderr, "round %d: sum %d, ran %d\n", round, sum, ran);
      exit(1);
    }
  }
  return 0;
}
