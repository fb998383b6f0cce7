// Without a fault: a function waits for the tasks that use its variables, and frames are used again.
// RUN: %chomp-cc -O2 %s -o %t
// RUN: %chomp-explore --runs 100 --seconds 0 %t 2>&1 | FileCheck %s
// CHECK: nothing found
#include <stdio.h>

static int sum;

static __attribute__((noinline)) void add(int value) {
  int twice[2] = {value, value};
#pragma omp task shared(twice)
  {
#pragma omp atomic
    sum += twice[0] + twice[1];
  }
#pragma omp taskwait
}

static __attribute__((noinline)) int local(int value) {
  volatile int room[8];
  for (int i = 0; i < 8; ++i) room[i] = value;
  return room[value % 8];
}

int main(void) {
#pragma omp parallel
#pragma omp single
  {
    for (int i = 0; i < 6; ++i) {
#pragma omp task firstprivate(i)
      {
        add(local(i));
      }
    }
  }
  printf("%d\n", sum);
}
