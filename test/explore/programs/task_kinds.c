// Untied, final, mergeable, undeferred and yielding tasks, with and without priorities; a tree of untied tasks.
#include "support/check.h"
#include <omp.h>

static int untied_tree(int depth) {
  int a = 0, b = 0;
  if (depth == 0) return 1;
#pragma omp task untied shared(a) firstprivate(depth)
  a = untied_tree(depth - 1);
#pragma omp task untied shared(b) firstprivate(depth)
  b = untied_tree(depth - 1);
#pragma omp taskyield
#pragma omp taskwait
  return a + b;
}

static int final_tree(int depth) {
  int a = 0, b = 0;
  if (depth == 0) return 1;
#pragma omp task shared(a) firstprivate(depth) final(depth < 3) mergeable
  a = final_tree(depth - 1);
#pragma omp task shared(b) firstprivate(depth) if (depth > 2)
  b = final_tree(depth - 1);
#pragma omp taskwait
  return a + b;
}

int main(void) {
  int leaves = 0, finals = 0, by_priority[4] = {0}, of_each[8] = {0}, threads = 0;
  setenv("OMP_MAX_TASK_PRIORITY", "3", 1); // the runtime reads it at the first construct
#pragma omp parallel shared(leaves, finals, by_priority, of_each, threads)
  {
#pragma omp single nowait
    {
      leaves = untied_tree(2);
      for (int i = 0; i < 4; i++)
#pragma omp task priority(i) shared(by_priority) firstprivate(i)
        by_priority[i] = i;
    }
#pragma omp single nowait
    {
      threads = omp_get_num_threads();
      finals = final_tree(3);
    }
    int me = omp_get_thread_num();
#pragma omp task priority(2) shared(of_each) firstprivate(me)
    {
      of_each[me]++;
#pragma omp taskyield
      of_each[me]++;
    }
#pragma omp taskwait
    CHECK_EQ(of_each[me], 2);
  }
  CHECK_EQ(leaves, 4);
  CHECK_EQ(finals, 8);
  for (int i = 0; i < 4; i++) CHECK_EQ(by_priority[i], i);
  return 0;
}
