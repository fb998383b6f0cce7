// A planted fault: a flag is read without the order that its data need.
// RUN: %chomp-cc %s -o %t
// RUN: not %chomp-explore --seconds 60 %t 2>&1 | FileCheck %s
// CHECK: data race: `data`
#include <stdatomic.h>
#include <stdio.h>

static int data;
static atomic_int flag;

int main(void) {
  int seen = 1;
#pragma omp parallel sections num_threads(2)
  {
#pragma omp section
    {
      data = 1;
      atomic_store_explicit(&flag, 1, memory_order_relaxed);
    }
#pragma omp section
    if (atomic_load_explicit(&flag, memory_order_relaxed)) seen = data;
  }
  printf("%d\n", seen);
}
