// Threads hand plain data to each other across barriers and from one region to the next.
#include "support/check.h"
#include <omp.h>

enum { kMost = 8 };

int main(void) {
  int cells[kMost] = {0}, seen = 0;
  for (int region = 0; region < 3; region++) {
#pragma omp parallel shared(cells, seen)
    {
      int me = omp_get_thread_num(), threads = omp_get_num_threads();
      for (int round = 0; round < 3; round++) {
        cells[me] = 10 * region + round;
#pragma omp barrier
        CHECK_EQ(cells[(me + 1) % threads], cells[me]);
#pragma omp barrier
      }
      if (me == threads - 1) seen = cells[me];
    }
    CHECK_EQ(seen, 10 * region + 2);
  }
  return 0;
}
