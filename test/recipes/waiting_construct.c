// Some threads of a region meet, again and again, while the others do not: nobody goes before all have come, and
// whoever waits runs tasks. The stall report says where it waits.
// RUN: %clang-openmp -I%root %s -o %t -L%lib && %for-schedulers %for-threads -t "2 3 8" %t
// RUN: %if gomp %{ %gcc-openmp -I%root -DCHOMP_WEAK %s -o %t.gcc && env OMP_NUM_THREADS=8 %chomp-preload %t.gcc %}
#include <omp.h>
#include <stdatomic.h>

#include "abi/chomp.h"
#include "support/check.h"

enum { kRounds = 300, kTasks = 20 };

static chomp_meeting_t meeting, pairs;
static atomic_int come, ran, left;

// All but thread 0 meet, and see that all have come.
static void some_meet(int members) {
  for (int round = 1; round <= kRounds; round++) {
    come++;
    chomp_meet(&meeting, members);
    CHECK(come >= round * members);
    chomp_meet(&meeting, members);
  }
  left++;
}

// Thread 0 comes when the other's tasks have run, which waits meanwhile.
static void tasks_run_meanwhile(void) {
  if (omp_get_thread_num() == 0) {
    SPIN_UNTIL(ran == kTasks);
    chomp_meet(&pairs, 2);
  } else {
    for (int i = 0; i < kTasks; i++) {
#pragma omp task
      ran++;
    }
    chomp_meet(&pairs, 2);
    CHECK_EQ(ran, kTasks);
  }
}

int main(void) {
  int threads = 0;
#pragma omp parallel
  {
#pragma omp single
    threads = omp_get_num_threads();
    if (omp_get_thread_num() > 0) some_meet(threads - 1);
#pragma omp barrier
    CHECK_EQ(left, threads - 1);
  }
#pragma omp parallel num_threads(2)
  tasks_run_meanwhile();
  return 0;
}
