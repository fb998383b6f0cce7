// A run that is ended for its CPU time says where it was.
// RUN: sh -c 'ulimit -St 2; %each-message %t %s'
// OPTIONS: --threads 2 --runs 1
// STATUS: 4
// clang-format off
// SAYS: chomp explore: not decided: too long: a run has used up its CPU time .two minutes, or `ulimit -t`., and has not ended
// SAYS:     thread 0 of the parallel region at too_long.c:19 waits for the end of the parallel region
// SAYS:     thread 1 of the parallel region at too_long.c:19 is at too_long.c:1[34]
// SAYS:     --steps N allows more steps, --seconds N more of both; smaller inputs, or --only-region FILE:LINE, need less.
// clang-format on
#include <math.h>
#include <omp.h>
static double end(double x) {
  while (x < 2) x = sin(x);
  return x;
}
int main(void) {
  double x = 1;
#pragma omp parallel num_threads(2)
  if (omp_get_thread_num() == 1) x = end(x);
  return x > 2;
}
