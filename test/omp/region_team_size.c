// A region has as many threads as asked for, each with its own number, also more than there are CPUs, growing and
// shrinking from one region to the next; num_threads, if, omp_set_num_threads, and tasks in each.
// RUN: %clang-openmp %s -o %t && %for-threads -t "1 5" %t
#include "support/check.h"
#include <omp.h>

enum { kMost = 64 };

static void region(int n) {
  int seen[kMost] = {0}, tasks = 0;
#pragma omp parallel num_threads(n)
  {
    CHECK_EQ(omp_get_num_threads(), n);
    CHECK_EQ(omp_get_team_size(1), n);
    ATOMIC_ADD(seen[omp_get_thread_num()], 1);
#pragma omp task shared(tasks)
    {
      CHECK_EQ(omp_get_num_threads(), n);
      CHECK(omp_get_thread_num() < n);
      ATOMIC_ADD(tasks, 1);
    }
  }
  for (int i = 0; i < kMost; i++) CHECK_EQ(seen[i], i < n);
  CHECK_EQ(tasks, n);
}

int main(void) {
  CHECK_EQ(omp_get_max_threads(), atoi(getenv("OMP_NUM_THREADS")));
  for (int n = 1; n <= kMost; n++) region(n);
  for (int n = kMost; n > 0; n -= 7) region(n), region(1 + n % 5);
  int ran = 0;
  omp_set_num_threads(6);
  CHECK_EQ(omp_get_max_threads(), 6);
#pragma omp parallel reduction(+ : ran)
  ran++;
  CHECK_EQ(ran, 6);
#pragma omp parallel if (ran < 6) reduction(+ : ran)
  {
    ran++;
    CHECK_EQ(omp_get_num_threads(), 1);
    CHECK_EQ(omp_get_level(), 1);
    CHECK_EQ(omp_get_active_level(), 0);
    CHECK(!omp_in_parallel());
  }
  CHECK_EQ(ran, 7);
#pragma omp parallel if (ran == 7) num_threads(3) reduction(+ : ran)
  ran++;
  CHECK_EQ(ran, 10);
  CHECK_EQ(omp_get_max_threads(), 6);
  return 0;
}
