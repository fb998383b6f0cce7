// Threads that still look for tasks at the end of a region come late: the next region is under way, and its primary
// sits on tasks that nobody else can see, in a team of another size.
#include "support/check.h"
#include <omp.h>

enum { kTasks = 4 };

static void region(int threads, int sits_for_us) {
  int ran = 0;
#pragma omp parallel num_threads(threads) shared(ran)
#pragma omp masked
  {
    for (int i = 0; i < kTasks; i++)
#pragma omp task shared(ran)
#pragma omp atomic
      ran++;
    if (sits_for_us > 0) usleep((unsigned)sits_for_us);
  }
  CHECK_EQ(ran, kTasks);
}

int main(void) {
  for (int round = 0; round < 8; round++) {
    region(omp_get_max_threads(), 50 * (round % 5));
    region(round % 2 ? 2 : omp_get_max_threads(), 400);
  }
  return 0;
}
