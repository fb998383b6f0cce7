// Without a fault: tasks of a loop with firstprivate and lastprivate variables, and a reduction.
// RUN: %chomp-cc -O2 %s -o %t
// RUN: %chomp-explore --runs 100 --seconds 0 %t 2>&1 | FileCheck %s
// CHECK: nothing found
#include <stdio.h>

static int u[16];

int main(void) {
  int last = 0, sum = 0, base = 3;
#pragma omp parallel
#pragma omp single
  {
#pragma omp taskloop num_tasks(4) firstprivate(base) lastprivate(last)
    for (int i = 0; i < 8; ++i) {
      u[i] = base + i;
      last = i;
    }
#pragma omp taskloop grainsize(2) reduction(+ : sum)
    for (int i = 0; i < 8; ++i) sum += u[i];
    u[9] = last + sum;
  }
  printf("%d\n", u[9]);
}
