// A planted fault: the block is freed before the tasks have used it.
// RUN: %chomp-cc %s -o %t
// RUN: not %chomp-explore --seconds 60 %t 2>&1 | FileCheck %s
// CHECK: {{use after free|data race}}: byte {{[0-9]+}} of the 32 that were allocated at freed_too_early.c:[[#@LINE+8]]
#include <stdio.h>
#include <stdlib.h>

int main(void) {
#pragma omp parallel
#pragma omp single
  {
    int* block = malloc(8 * sizeof *block);
    for (int i = 0; i < 8; ++i) {
#pragma omp task firstprivate(block, i)
      block[i] = i;
    }
    free(block);
  }
  puts("done");
}
