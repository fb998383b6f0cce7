// One region, one task and a wait for it: few enough steps that tools/explore can take all ways through them that have
// a given number of preemptions and old values.
#include "support/check.h"
#include <omp.h>

int main(void) {
  int cell = 0;
#pragma omp parallel shared(cell)
#pragma omp single
  {
#pragma omp task shared(cell)
    cell++;
#pragma omp taskwait
    CHECK_EQ(cell, 1);
  }
  return 0;
}
