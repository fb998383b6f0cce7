// Loops with reductions in teams that are large enough to combine on their way into the barrier; with tasks that others
// run meanwhile; and one whose members go on without a barrier.
#include "support/check.h"
#include <omp.h>

enum { kThreads = 6 };

int main(void) {
  int sum = 0, most = 0, region = 0, tasks = 0;
#pragma omp parallel num_threads(kThreads) shared(sum, most, tasks) reduction(+ : region)
  {
    int threads = omp_get_num_threads();
    for (int round = 1; round <= 2; round++) {
#pragma omp for schedule(static) reduction(+ : sum) reduction(max : most)
      for (int i = 0; i < threads; i++) {
        sum += i;
        most = i;
      }
      CHECK_EQ(sum, round * threads * (threads - 1) / 2);
      CHECK_EQ(most, threads - 1);
#pragma omp barrier
    }
#pragma omp for schedule(static) reduction(+ : sum)
    for (int i = 0; i < threads; i++) {
      sum += 1;
#pragma omp task shared(tasks)
#pragma omp atomic
      tasks++;
    }
    CHECK_EQ(sum, threads * threads);
    CHECK_EQ(tasks, threads);
    region = 1;
  }
  CHECK_EQ(region, tasks);
  return 0;
}
