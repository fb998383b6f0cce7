// A small program for tools/explore: a few regions with a few tasks each, so that one run is short and every hand-over
// of the runtime (publish, steal, steal by force, park, wake, barrier, start signal) may happen in any order.
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

static int tree(int depth) {
  int a = 0, b = 0;
  if (depth == 0) return 1;
#pragma omp task shared(a) firstprivate(depth)
  a = tree(depth - 1);
#pragma omp task shared(b) firstprivate(depth)
  b = tree(depth - 1);
#pragma omp taskwait
  return a + b;
}

static void region_of_tasks(int region) {
  int sum = 0, arrived = 0, leaves = 0, threads = 0;
#pragma omp parallel shared(sum, arrived, leaves)
  {
#pragma omp atomic
    arrived++;
#pragma omp single nowait
    {
      threads = omp_get_num_threads();
      leaves = tree(2);
    }
#pragma omp task shared(sum)
    {
#pragma omp atomic
      sum++;
    }
#pragma omp barrier
#pragma omp critical
    sum += 100;
  }
  if (leaves == 4 && arrived == threads && sum == 101 * threads) return;
  fprintf(stderr, "region %d of %d threads: arrived %d, sum %d, leaves %d\n", region, threads, arrived, sum, leaves);
  exit(1);
}

int main(void) {
  for (int region = 0; region < 3; region++) region_of_tasks(region);
  return 0;
}
