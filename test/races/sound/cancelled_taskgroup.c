// Without a fault: a search that is cancelled; what was found is protected.
// RUN: %chomp-cc -O2 %s -o %t
// RUN: %chomp-explore --runs 100 --seconds 0 %t 2>&1 | FileCheck %s
// CHECK: nothing found
#include <stdio.h>

static int found;

int main(void) {
#pragma omp parallel
#pragma omp single
  {
#pragma omp taskgroup
    for (int i = 0; i < 8; ++i) {
#pragma omp task firstprivate(i)
      {
        if (i == 5) {
#pragma omp atomic write
          found = 1;
#pragma omp cancel taskgroup
        }
#pragma omp cancellation point taskgroup
      }
    }
  }
  printf("%d\n", found >= 0);
}
