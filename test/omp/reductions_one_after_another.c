// Reductions one after the other, with and without a barrier at their end, in regions of changing sizes: whoever comes
// late or goes ahead, each has the results of its own team, also while tasks run. A reduction without a barrier is no
// scheduling point: a thread that waits there runs no task, which could need a lock that the thread holds.
// RUN: %clang-openmp %s -o %t && %for-threads %t
#include "support/check.h"
#include <omp.h>
#include <unistd.h>

enum { kRegions = SCALED(32), kRounds = 3 };

static void come_in_any_order(int time) {
  if ((time * 7 + omp_get_thread_num() * 3) % 11 == 0) usleep(1);
}

static void one_region(int region, int asked) {
  int sum = 0, ahead = 0, most = -1, whole = 0, tasks = 0;
#pragma omp parallel num_threads(asked) reduction(+ : whole)
  {
    int threads = omp_get_num_threads();
    for (int round = 1; round <= kRounds; round++) {
      come_in_any_order(region + round);
#pragma omp for schedule(static) reduction(+ : sum) reduction(max : most)
      for (int i = 0; i < threads; i++) {
        sum += i + 1;
        most = i;
        if (round == kRounds) {
#pragma omp task shared(tasks)
#pragma omp atomic
          tasks++;
        }
      }
      CHECK_EQ(sum, round * (threads * (threads + 1) / 2));
      CHECK_EQ(most, threads - 1);
#pragma omp barrier
#pragma omp for schedule(static) reduction(+ : ahead) nowait
      for (int i = 0; i < threads; i++) ahead += 1;
      come_in_any_order(region);
#pragma omp for schedule(static) reduction(+ : ahead) nowait
      for (int i = 0; i < threads; i++) ahead += 2;
    }
    CHECK_EQ(tasks, threads);
    whole = 1;
#pragma omp barrier
    CHECK_EQ(ahead, 3 * kRounds * threads);
  }
  CHECK_EQ(whole, tasks);
}

static void hold_a_lock(void) {
  int sum = 0, tasks = 0;
#pragma omp parallel
  {
    omp_lock_t lock;
    omp_init_lock(&lock);
#pragma omp task shared(lock, tasks)
    {
      omp_set_lock(&lock);
#pragma omp atomic
      tasks++;
      omp_unset_lock(&lock);
    }
    omp_set_lock(&lock);
    come_in_any_order(omp_get_num_threads());
#pragma omp for schedule(static) reduction(+ : sum) nowait
    for (int i = 0; i < omp_get_num_threads(); i++) sum += 1;
    omp_unset_lock(&lock);
#pragma omp taskwait
    omp_destroy_lock(&lock);
#pragma omp barrier
    CHECK_EQ(sum, omp_get_num_threads());
    CHECK_EQ(tasks, omp_get_num_threads());
  }
}

int main(void) {
  int threads = omp_get_max_threads();
  for (int region = 0; region < kRegions; region++) {
    one_region(region, threads);
    if (region % 4 == 0) one_region(region, 1 + (region / 4) % threads);
    hold_a_lock();
  }
  return 0;
}
