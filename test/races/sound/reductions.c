// Without a fault: reductions of loops, of sections, of regions, of several variables.
// RUN: %chomp-cc -O2 %s -o %t
// RUN: %chomp-explore --runs 100 --seconds 0 %t 2>&1 | FileCheck %s
// CHECK: nothing found
#include <stdio.h>

int main(void) {
  int sum = 0, product = 1, most = 0;
  double real = 0;
  int array[4] = {0};
#pragma omp parallel for reduction(+ : sum, real) reduction(* : product) reduction(+ : array[ : 4])
  for (int i = 1; i < 9; ++i) {
    sum += i;
    product *= 2;
    real += i;
    array[i % 4] += i;
  }
#pragma omp parallel reduction(max : most)
  most = 3;
#pragma omp parallel
  {
#pragma omp for nowait reduction(+ : sum)
    for (int i = 0; i < 4; ++i) sum += i;
  }
  printf("%d %d %d %g %d\n", sum, product, most, real, array[3]);
}
