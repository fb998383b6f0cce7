// Without a fault: a league on the host. GCC's code runs its teams one after the other, with the same variables.
// RUN: %at-each-level %t %s
#include <stdio.h>

int main(void) {
  double sum = 0;
  int squares[16];
#pragma omp target map(tofrom : sum)
#pragma omp teams num_teams(3) reduction(+ : sum)
#pragma omp distribute
  for (int begin = 0; begin < 12; begin += 4) {
#pragma omp parallel for reduction(+ : sum)
    for (int i = begin; i < begin + 4; i++) sum += i;
  }
#pragma omp target teams distribute parallel for map(from : squares) num_teams(4)
  for (int i = 0; i < 16; ++i) squares[i] = i * i;
#pragma omp teams num_teams(2)
#pragma omp distribute parallel for
  for (int i = 0; i < 16; ++i) squares[i] += 1;
  printf("%g %d\n", sum, squares[5]);
}
