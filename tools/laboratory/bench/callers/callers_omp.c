// A region of OpenMP's. See callers.h.
#include "callers.h"

double callers_region(void) {
  double sum = 0;
#pragma omp parallel for schedule(static) reduction(+ : sum)
  for (int i = 0; i < kChunks; i++) sum += callers_chunk();
  return sum;
}
