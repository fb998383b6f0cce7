// A recording with a limit is read while its process replaces its chunks: each time there is a timeline and a report.
// UNSUPPORTED: checks, sanitizer-address, sanitizer-thread
// RUN: %clang-openmp %s -o %t
// RUN: %library-path %python %S/check_live_reading %build %t
#include <stdio.h>

int main(void) {
  for (int turn = 0;; ++turn) {
#pragma omp parallel
#pragma omp single
    for (int i = 0; i < 20000; ++i)
#pragma omp task
      ;
    if (turn > 0) continue;
    puts("ready");
    fflush(stdout);
  }
}
