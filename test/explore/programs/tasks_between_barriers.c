// At each barrier of a region its tasks have finished, whether or not an earlier barrier had to wait for some.
#include "support/check.h"
#include <omp.h>

int main(void) {
  int sum = 0;
#pragma omp parallel shared(sum)
  for (int round = 1; round <= 3; round++) {
#pragma omp task shared(sum)
    {
#pragma omp atomic
      sum++;
    }
#pragma omp barrier
    int seen;
#pragma omp atomic read
    seen = sum;
    CHECK_EQ(seen, round * omp_get_num_threads());
#pragma omp barrier
  }
  return 0;
}
