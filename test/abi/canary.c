// The test programs run on the library under test and on no other OpenMP runtime: exactly one is mapped, and it is the
// file in the build directory. If this test fails, no other result means anything.
// RUN: %clang-openmp %s -o %t && %chomp-run %t %lib
#include "support/process.h"
#include <limits.h>
#include <omp.h>

int main(int argc, char** argv) {
  int threads = 0;
#pragma omp parallel num_threads(2) reduction(+ : threads)
  threads++;
  CHECK_EQ(threads, 2);

  char path[PATH_MAX], expected[PATH_MAX];
  CHECK_EQ(argc, 2);
  CHECK(realpath(argv[1], expected));
  CHECK_EQ(mapped_files("libomp", path, sizeof path), 1);
  fprintf(stderr, "running on %s\n", path);
  CHECK(strncmp(path, expected, strlen(expected)) == 0 && path[strlen(expected)] == '/');
  CHECK_EQ(mapped_files("libgomp", 0, 0), 0);
  CHECK_EQ(mapped_files("libiomp", 0, 0), 0);
  return 0;
}
