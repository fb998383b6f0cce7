// Without a fault: a flag with release and acquire, and one with flushes.
// RUN: %chomp-cc -O2 %s -o %t
// RUN: %chomp-explore --runs 100 --seconds 0 %t 2>&1 | FileCheck %s
// CHECK: nothing found
#include <stdatomic.h>
#include <stdio.h>

static int data, more;
static atomic_int flag;
static int flushed;

int main(void) {
  int seen = 0;
#pragma omp parallel sections num_threads(2) reduction(+ : seen)
  {
#pragma omp section
    {
      data = 1;
      atomic_store_explicit(&flag, 1, memory_order_release);
      more = 2;
#pragma omp flush
#pragma omp atomic write
      flushed = 1;
    }
#pragma omp section
    {
      while (!atomic_load_explicit(&flag, memory_order_acquire)) {
      }
      int is_set = 0;
      while (!is_set) {
#pragma omp atomic read
        is_set = flushed;
      }
#pragma omp flush
      seen += data + more;
    }
  }
  printf("%d\n", seen);
}
