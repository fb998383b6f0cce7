// RUN: %each-message %t %s
// OPTIONS: --expect 3
// SAYS: chomp explore: wrong output: line 1 of the output
// SAYS:     expected: 3
// SAYS:     here: 2
#include <stdio.h>
int main(void) {
  int sum = 0;
#pragma omp parallel num_threads(2) reduction(+ : sum)
  sum += 1;
  printf("%d\n", sum);
}
