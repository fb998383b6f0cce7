// The smallest region: it starts, each member writes, it ends. See task.c.
#include "support/check.h"
#include <omp.h>

int main(void) {
  int cells[2] = {0};
#pragma omp parallel shared(cells)
  cells[omp_get_thread_num()] = 1;
  CHECK(cells[0] == 1 && cells[1] == 1);
  return 0;
}
