// Taskgroups wait for all descendants, nested ones for their own, and reduce what their tasks contribute.
#include "support/check.h"
#include <omp.h>

static int sum;

// A task that is not waited for is missing in the answer.
static void contribute(int depth) {
#pragma omp task in_reduction(+ : sum) firstprivate(depth)
  {
    sum += 1;
    if (depth > 0) contribute(depth - 1);
  }
#pragma omp task in_reduction(+ : sum) firstprivate(depth)
  {
    sum += 10;
    if (depth > 0) contribute(depth - 1);
  }
}

static void grandchildren(int* leaf) {
  for (int i = 0; i < 2; i++)
#pragma omp task firstprivate(i, leaf)
  {
#pragma omp task firstprivate(i, leaf)
    leaf[i] = i + 1;
  }
}

static void groups(void) {
  int leaf[4] = {0};
#pragma omp taskgroup
  {
    grandchildren(leaf);
#pragma omp task shared(leaf)
    {
#pragma omp taskgroup
      grandchildren(leaf + 2);
      CHECK_EQ(leaf[2] + leaf[3], 3);
    }
  }
  CHECK_EQ(leaf[0] + leaf[1], 3);
  sum = 100;
#pragma omp taskgroup task_reduction(+ : sum)
  contribute(1);
  CHECK_EQ(sum, 100 + 33);
}

int main(void) {
  int all = 0, threads = 0;
#pragma omp parallel
#pragma omp single
  groups();
#pragma omp parallel reduction(task, + : all)
  {
#pragma omp single nowait
    threads = omp_get_num_threads();
#pragma omp task in_reduction(+ : all)
    all += 5;
    all += 1;
  }
  CHECK_EQ(all, 6 * threads);
  return 0;
}
