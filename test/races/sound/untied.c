// Without a fault: untied tasks that yield and go on elsewhere, where they ask anew which thread that is.
// RUN: %chomp-cc -O2 %s -o %t
// RUN: %chomp-explore --runs 100 --seconds 0 %t 2>&1 | FileCheck %s
// CHECK: nothing found
#include <omp.h>
#include <stdio.h>

static int u[16], made[16][16];

int main(void) {
#pragma omp parallel
#pragma omp single
  {
    for (int i = 0; i < 4; ++i) {
#pragma omp task untied firstprivate(i)
      {
        u[i] = i;
        ++made[omp_get_thread_num()][0];
#pragma omp taskyield
        ++made[omp_get_thread_num()][0];
        u[i] += 1;
#pragma omp task
        u[8 + i] = 1;
#pragma omp taskwait
        u[i] += u[8 + i];
      }
    }
  }
  printf("%d\n", u[3]);
}
