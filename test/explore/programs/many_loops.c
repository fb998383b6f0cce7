// More loops in a row than the runtime keeps at a time, without barriers, so that fast threads run ahead of slow ones.
#include "support/check.h"
#include <omp.h>

enum { kLoops = 12, kIterations = 3 };

// Each loop has more iterations than the one before, so a turn that is left from an older loop is a turn of this one.
static void in_order(void) {
  int next[kLoops] = {0};
#pragma omp parallel shared(next)
  for (int loop = 0; loop < kLoops; loop++)
#pragma omp for ordered schedule(dynamic) nowait
    for (int i = 0; i < 1 + loop / 2; i++) {
#pragma omp ordered
      {
        CHECK_EQ(next[loop], i);
        next[loop]++;
      }
    }
  for (int loop = 0; loop < kLoops; loop++) CHECK_EQ(next[loop], 1 + loop / 2);
}

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
  in_order();
  CHECK_EQ(done[0], 200 + 2 * kIterations);
  for (int loop = 1; loop < kLoops; loop++) CHECK_EQ(done[loop], 2 * kIterations);
  return 0;
}
