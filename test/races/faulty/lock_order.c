// A planted fault: two threads take two locks in different orders.
// RUN: %chomp-cc %s -o %t
// RUN: not %chomp-explore --seconds 60 %t 2>&1 | FileCheck %s
// CHECK: deadlock: every thread waits
// CHECK: waits for a lock at lock_order.c
// CHECK: holds since lock_order.c
#include <omp.h>
#include <stdio.h>

int main(void) {
  omp_lock_t first, second;
  omp_init_lock(&first);
  omp_init_lock(&second);
  int n = 0;
#pragma omp parallel sections num_threads(2)
  {
#pragma omp section
    {
      omp_set_lock(&first);
      omp_set_lock(&second);
      n++;
      omp_unset_lock(&second);
      omp_unset_lock(&first);
    }
#pragma omp section
    {
      omp_set_lock(&second);
      omp_set_lock(&first);
      n++;
      omp_unset_lock(&first);
      omp_unset_lock(&second);
    }
  }
  printf("%d\n", n);
}
