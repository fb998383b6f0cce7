// Without a fault: a set of writers of different elements, then readers, then a writer.
// RUN: %chomp-cc -O2 %s -o %t
// RUN: %chomp-explore --runs 100 --seconds 0 %t 2>&1 | FileCheck %s
// CHECK: nothing found
#include <stdio.h>

static int u[16];

int main(void) {
#pragma omp parallel
#pragma omp single
  {
    for (int round = 0; round < 3; ++round) {
      for (int i = 0; i < 4; ++i) {
#pragma omp task depend(inoutset : u)
        u[i] += i;
      }
      for (int i = 0; i < 4; ++i) {
#pragma omp task depend(in : u)
        u[8 + i] += u[0] + u[1] + u[2] + u[3];
      }
#pragma omp task depend(inout : u)
      u[0] = u[8];
    }
  }
  printf("%d\n", u[0]);
}
