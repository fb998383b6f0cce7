// Without a fault: locks that are always taken in the same order; one that nests.
// RUN: %chomp-cc -O2 %s -o %t
// RUN: %chomp-explore --runs 100 --seconds 0 %t 2>&1 | FileCheck %s
// CHECK: nothing found
#include <omp.h>
#include <stdio.h>

int main(void) {
  omp_lock_t first, second;
  omp_nest_lock_t nest;
  omp_init_lock(&first);
  omp_init_lock(&second);
  omp_init_nest_lock(&nest);
  int n = 0, m = 0;
#pragma omp parallel num_threads(3)
  {
    omp_set_lock(&first);
    omp_set_lock(&second);
    n++;
    omp_unset_lock(&second);
    omp_unset_lock(&first);
    omp_set_nest_lock(&nest);
    omp_set_nest_lock(&nest);
    m++;
    omp_unset_nest_lock(&nest);
    omp_unset_nest_lock(&nest);
  }
  printf("%d %d\n", n, m);
}
