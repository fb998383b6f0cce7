// A planted fault: one thread meets a barrier that the others do not.
// RUN: %chomp-cc %s -o %t
// RUN: not %chomp-explore --seconds 60 %t 2>&1 | FileCheck %s
// CHECK: barrier not met by all: of the parallel region at
// CHECK: waits at a barrier at barrier_not_met_by_all.c
// CHECK: the end of the parallel region
#include <omp.h>
#include <stdio.h>

int main(void) {
#pragma omp parallel num_threads(2)
  {
    if (omp_get_thread_num() == 0) {
#pragma omp barrier
    }
  }
  puts("done");
}
