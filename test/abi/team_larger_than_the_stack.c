// A program that asks for more threads than can exist gets those that can, and one warning. (libomp 19 tries to make
// them all.)
// UNSUPPORTED: sanitizer-address, sanitizer-thread
// RUN: %clang -O2 -Wall -Wextra -shared -fPIC %root/test/support/refuse_threads.c -o %t.so -ldl
// RUN: %clang-openmp %s -o %t
// RUN: %chomp-run env LD_PRELOAD=%t.so REFUSE_THREADS_AFTER=4 %t 1048576
// RUN: %chomp-run env LD_PRELOAD=%t.so REFUSE_THREADS_AFTER=4 %t 2147483647
#include "support/check.h"
#include <omp.h>

int main(int argc, char** argv) {
  int wanted = argc > 1 ? atoi(argv[1]) : 1 << 20, size = 0;
  for (int i = 0; i < 2; i++) {
#pragma omp parallel num_threads(wanted)
#pragma omp single
    size = omp_get_num_threads();
    CHECK_EQ(size, 5);
  }
  return 0;
}
