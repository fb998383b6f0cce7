// Linking with -lomp from the library's folder works, by clang -fopenmp and by hand; the program then needs the name
// that the system's programs need, and runs by rpath or LD_LIBRARY_PATH.
// REQUIRES: readelf
// RUN: %clang-openmp %s -o %t -L%lib -Wl,-rpath,%lib && %t %lib
// RUN: %clang-openmp -c %s -o %t.o
// RUN: %clang-openmp %t.o -o %t2 -L%lib -lomp && %library-path %t2 %lib
// RUN: readelf -d %t2 | grep "NEEDED.*libomp.so"
#include "support/process.h"
#include <limits.h>

int main(int argc, char** argv) {
  int threads = 0;
#pragma omp parallel num_threads(4) reduction(+ : threads)
  threads++;
  CHECK_EQ(threads, 4);
  char path[PATH_MAX], expected[PATH_MAX];
  CHECK(argc == 2 && realpath(argv[1], expected));
  CHECK_EQ(mapped_files("libomp", path, sizeof path), 1);
  CHECK(strncmp(path, expected, strlen(expected)) == 0);
  return 0;
}
