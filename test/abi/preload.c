// A program linked with the system's runtime runs on this library by LD_PRELOAD alone, and the system's runtime is then
// not loaded: the SONAME already satisfies the program's need.
// UNSUPPORTED: sanitizer-address, sanitizer-thread
// RUN: %clang-openmp %s -o %t && env LD_PRELOAD=%library %t %lib
#include "support/process.h"
#include <limits.h>
#include <omp.h>

int main(int argc, char** argv) {
  long sum = 0;
#pragma omp parallel num_threads(3)
#pragma omp single
  for (int i = 0; i < 100; i++)
#pragma omp task shared(sum)
    ATOMIC_ADD(sum, 1);
  CHECK_EQ(sum, 100);
  char path[PATH_MAX], expected[PATH_MAX];
  CHECK(argc == 2 && realpath(argv[1], expected));
  CHECK_EQ(mapped_files("libomp", path, sizeof path), 1);
  CHECK(strncmp(path, expected, strlen(expected)) == 0);
  return 0;
}
