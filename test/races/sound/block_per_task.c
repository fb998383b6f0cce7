// Without a fault: each task frees its own block; blocks are used again.
// RUN: %chomp-cc -O2 %s -o %t
// RUN: %chomp-explore --runs 100 --seconds 0 %t 2>&1 | FileCheck %s
// CHECK: nothing found
#include <stdio.h>
#include <stdlib.h>

int main(void) {
#pragma omp parallel
#pragma omp single
  {
    for (int i = 0; i < 20; ++i) {
#pragma omp task firstprivate(i)
      {
        int* block = malloc(8 * sizeof *block);
        for (int j = 0; j < 8; ++j) block[j] = i;
        if (block[7] != i) abort();
        free(block);
      }
    }
  }
  puts("done");
}
