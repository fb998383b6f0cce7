// One producer makes a million tasks: memory stays bounded, since a producer far ahead of the consumers runs tasks
// itself and memory freed by others comes back to it.
// RUN: %clang-openmp %s -o %t && %for-threads %t
#include "support/process.h"

int main(void) {
  enum { kTasks = SCALED(1 << 20) };
  long sum = 0;
#pragma omp parallel
#pragma omp single
  burn(1);
  long before = peak_memory();
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < kTasks; i++) {
    struct {
      char bytes[100];
    } payload = {{1}};
#pragma omp task firstprivate(payload, i) shared(sum)
    if (i % 16 == 0) ATOMIC_ADD(sum, payload.bytes[0]);
  }
  CHECK_EQ(sum, kTasks / 16);
  CHECK(peak_memory() - before < 64 * 1024);
  return 0;
}
