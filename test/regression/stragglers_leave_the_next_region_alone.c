// A thread that looks for tasks at the end of a region, and comes late, takes none of the next region's tasks from a
// private deque to count it for the last region: the next region would then wait for ever for a task that was counted
// elsewhere. Of the two regions here, the first ends with a long task and short ones behind it, which the members that
// have arrived take; in the second the primary keeps its tasks private while stragglers come.
// RUN: %clang-openmp %s -o %t && %for-threads -t "2 3 8" %t
// RUN: %if hwloc %{ env HWLOC_SYNTHETIC="package:2 core:1 pu:1" %for-threads -t "2 3 8" %t %}
// RUN: env CHOMP_MEMBARRIER=0 %for-threads -t "2 8" %t
#include "support/check.h"
#include <omp.h>
#include <unistd.h>

enum { kTasks = 6 };

static void make_tasks(int* ran, int rounds_of_first) {
  for (int i = 0; i < kTasks; i++)
#pragma omp task firstprivate(ran, i, rounds_of_first)
  {
    if (i == kTasks - 1) burn(rounds_of_first); // the newest runs first
    ATOMIC_ADD(*ran, 1);
  }
}

static void region(int threads, int rounds_of_first, int sits_for_us) {
  int ran = 0;
#pragma omp parallel num_threads(threads)
#pragma omp master
  {
    make_tasks(&ran, rounds_of_first);
    if (sits_for_us > 0) usleep(sits_for_us);
  }
  CHECK_EQ(ran, kTasks);
}

int main(void) {
  for (int round = 0; round < SCALED(1500); round++) {
    region(omp_get_max_threads(), 1000 * (10 + round % 50), 0);
    region(round % 2 ? 2 : omp_get_max_threads(), 0, 20 + round % 100); // stragglers have no part in it, or have
  }
  return 0;
}
