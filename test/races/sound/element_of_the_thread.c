// Without a fault: tasks count in an element that belongs to their thread.
// RUN: %chomp-cc -O2 %s -o %t
// RUN: %chomp-explore --runs 100 --seconds 0 %t 2>&1 | FileCheck %s
// CHECK: nothing found
#include <omp.h>
#include <stdio.h>

static int counts[64];

int main(void) {
#pragma omp parallel num_threads(3)
#pragma omp single
  for (int i = 0; i < 12; ++i) {
#pragma omp task
    counts[omp_get_thread_num()]++;
  }
  int sum = 0;
  for (int i = 0; i < 64; ++i) sum += counts[i];
  printf("%d\n", sum);
}
