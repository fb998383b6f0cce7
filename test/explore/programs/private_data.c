// Data that the runtime copies between threads: copyprivate, copyin, threadprivate, reductions, lastprivate.
#include "support/check.h"
#include <omp.h>

static int kept;
#pragma omp threadprivate(kept)

int main(void) {
  int threads = 0, first = 0, sum = 0, most = 0, last = 0, masked = 0;
  double product = 1;
#pragma omp parallel shared(first)
  {
#pragma omp single
    first = omp_get_num_threads();
    kept = omp_get_thread_num() + 1;
  }
#pragma omp parallel reduction(+ : sum) reduction(max : most) reduction(* : product)
  {
    int mine = 0;
    // It stays from region to region while the size of the team does (the system may refuse threads).
    if (omp_get_num_threads() == first) CHECK_EQ(kept, omp_get_thread_num() + 1);
    kept = omp_get_thread_num() + 1;
#pragma omp single copyprivate(mine)
    {
      mine = 40;
      threads = omp_get_num_threads();
    }
    sum = mine + kept;
    most = kept;
    product = 2;
#pragma omp masked
    masked++;
  }
  CHECK_EQ(sum, 40 * threads + threads * (threads + 1) / 2);
  CHECK_EQ(most, threads);
  CHECK_EQ((int)product, 1 << threads);
  CHECK_EQ(masked, 1);
  kept = 9;
#pragma omp parallel copyin(kept)
  {
    CHECK_EQ(kept, 9);
#pragma omp sections lastprivate(last) reduction(+ : sum)
    {
#pragma omp section
      sum++;
#pragma omp section
      {
        sum += 2;
        last = 5;
      }
    }
    CHECK_EQ(last, 5);
  }
  CHECK_EQ(sum, 40 * threads + threads * (threads + 1) / 2 + 3);
  return 0;
}
