// No value of any variable makes a program die, hang or answer wrongly.
// UNSUPPORTED: sanitizer-address, sanitizer-thread
// RUN: %clang-openmp %s -o %t && %library-path %S/hostile_values %t
#include "support/check.h"
#include <omp.h>

int main(void) {
  enum { kCount = 500 };
  int threads = 0, loop = 0, tasks = 0;
#pragma omp parallel reduction(+ : threads, loop)
  {
    threads = 1;
#pragma omp for schedule(runtime)
    for (int i = 0; i < kCount; ++i) loop += i;
#pragma omp single
#pragma omp taskloop reduction(+ : tasks)
    for (int i = 0; i < kCount; ++i) tasks += i;
#pragma omp single
    CHECK(omp_get_num_threads() >= 1);
  }
  CHECK(threads >= 1 && threads <= omp_get_max_threads());
  CHECK_EQ(loop, kCount * (kCount - 1) / 2);
  CHECK_EQ(tasks, kCount * (kCount - 1) / 2);
  return 0;
}
