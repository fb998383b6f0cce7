// Where the system refuses threads, regions have the threads that there are, all work is done, and one warning is
// printed. (libomp 19 aborts.)
// UNSUPPORTED: sanitizer-address, sanitizer-thread
// RUN: %clang -O2 -Wall -Wextra -shared -fPIC %root/test/support/refuse_threads.c -o %t.so -ldl
// RUN: %clang-openmp %s -o %t
// RUN: %chomp-run %S/refuse_threads %t.so %t
#include "support/check.h"
#include <omp.h>

static void region(int threads) {
  int members = 0, iterations = 0, tasks = 0;
#pragma omp parallel reduction(+ : members)
  {
    members++;
    CHECK_EQ(omp_get_num_threads(), threads);
#pragma omp for schedule(dynamic) reduction(+ : iterations)
    for (int i = 0; i < 1000; i++) iterations++;
#pragma omp task
    ATOMIC_ADD(tasks, 1);
  }
  CHECK_EQ(members, threads);
  CHECK_EQ(iterations, 1000);
  CHECK_EQ(tasks, threads);
}

int main(int argc, char** argv) {
  int threads = argc > 1 ? atoi(argv[1]) : 8;
  for (int i = 0; i < 3; i++) region(threads);
  return 0;
}
