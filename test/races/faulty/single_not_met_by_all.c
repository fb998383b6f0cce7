// A planted fault: one thread leaves a worksharing construct out.
// RUN: %chomp-cc %s -o %t
// RUN: not %chomp-explore --seconds 60 %t 2>&1 | FileCheck %s
// CHECK: worksharing not met by all
#include <omp.h>
#include <stdio.h>

int main(void) {
  int n = 0;
#pragma omp parallel num_threads(2)
  {
    if (omp_get_thread_num() == 1) {
#pragma omp single nowait
      n = 1;
    }
  }
  printf("%d\n", n >= 0);
}
