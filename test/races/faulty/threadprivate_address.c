// A planted fault: a task uses the threadprivate variable of the thread that made it.
// RUN: %chomp-cc %s -o %t
// RUN: not %chomp-explore --seconds 60 %t 2>&1 | FileCheck %s
// CHECK: data race:
#include <stdio.h>

static int own;
#pragma omp threadprivate(own)

int main(void) {
#pragma omp parallel num_threads(3)
#pragma omp single
  {
    int* mine = &own;
    for (int i = 0; i < 4; ++i) {
#pragma omp task firstprivate(mine)
      *mine += 1;
    }
  }
  printf("%d\n", own >= 0);
}
