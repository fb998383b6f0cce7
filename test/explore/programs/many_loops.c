// More loops in a row than the runtime keeps at a time, without barriers, so that fast threads run ahead of slow ones.
#include "support/check.h"
#include <omp.h>

enum { kLoops = 12, kIterations = 3 };

int main(void) {
  int done[kLoops] = {0};
  for (int round = 0; round < 2; round++)
#pragma omp parallel shared(done)
  {
    for (int loop = 0; loop < kLoops; loop++)
#pragma omp for schedule(dynamic) nowait
      for (int i = 0; i < kIterations; i++)
#pragma omp atomic
        done[loop]++;
#pragma omp single nowait
#pragma omp atomic
    done[0] += 100;
  }
  CHECK_EQ(done[0], 200 + 2 * kIterations);
  for (int loop = 1; loop < kLoops; loop++) CHECK_EQ(done[loop], 2 * kIterations);
  return 0;
}
