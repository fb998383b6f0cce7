// Without a fault: atomics, critical regions and locks.
// RUN: %chomp-cc -O2 %s -o %t
// RUN: %chomp-explore --runs 100 --seconds 0 %t 2>&1 | FileCheck %s
// CHECK: nothing found
#include <omp.h>
#include <stdio.h>

static int with_atomic, with_critical, with_lock;

int main(void) {
  omp_lock_t lock;
  omp_init_lock(&lock);
#pragma omp parallel num_threads(3)
  for (int i = 0; i < 3; ++i) {
#pragma omp atomic
    with_atomic++;
#pragma omp critical
    with_critical++;
    omp_set_lock(&lock);
    with_lock++;
    omp_unset_lock(&lock);
  }
  omp_destroy_lock(&lock);
  printf("%d %d %d\n", with_atomic, with_critical, with_lock);
}
