// Regions inside regions, and teams that grow and shrink from one region to the next.
#include "support/check.h"
#include <omp.h>

static void one_region(int threads, int level) {
  int arrived[5] = {0}, tasks = 0, got = 0;
#pragma omp parallel num_threads(threads) shared(arrived, tasks, got)
  {
    int size = omp_get_num_threads(); // fewer than asked for, where the system refuses threads
    CHECK(size <= threads);
#pragma omp single nowait
    got = size;
    CHECK_EQ(omp_get_level(), level);
    arrived[omp_get_thread_num()] = 1;
#pragma omp barrier
    for (int i = 0; i < size; i++) CHECK_EQ(arrived[i], 1);
#pragma omp task shared(tasks)
#pragma omp critical
    tasks++;
  }
  CHECK(got > 0);
  CHECK_EQ(tasks, got);
}

int main(void) {
  static const int sizes[] = {3, 1, 4, 2, 3};
  for (unsigned i = 0; i < sizeof sizes / sizeof *sizes; i++) one_region(sizes[i], 1);
  omp_set_max_active_levels(2);
  int inner = 0, outer = 0;
#pragma omp parallel num_threads(2) reduction(+ : inner, outer)
  {
    outer++;
    one_region(2 + omp_get_thread_num(), 2);
    one_region(2, 2);
#pragma omp parallel for num_threads(2) reduction(+ : inner)
    for (int i = 0; i < 4; i++) inner += i;
  }
  CHECK_EQ(inner, 6 * outer);
  one_region(2, 1);
  return 0;
}
