// Inclusive and exclusive scans are exact.
// RUN: %clang-openmp %s -o %t && %for-threads %t
#include "support/check.h"

enum { kN = 1000 };

int main(void) {
  static long in[kN], inclusive[kN], exclusive[kN];
  long sum = 0;
  for (int i = 0; i < kN; i++) in[i] = i * 7 % 13;
#pragma omp parallel for reduction(inscan, + : sum)
  for (int i = 0; i < kN; i++) {
    sum += in[i];
#pragma omp scan inclusive(sum)
    inclusive[i] = sum;
  }
  sum = 0;
#pragma omp parallel for reduction(inscan, + : sum)
  for (int i = 0; i < kN; i++) {
    exclusive[i] = sum;
#pragma omp scan exclusive(sum)
    sum += in[i];
  }
  long expected = 0;
  for (int i = 0; i < kN; i++) {
    CHECK_EQ(exclusive[i], expected);
    expected += in[i];
    CHECK_EQ(inclusive[i], expected);
  }
  CHECK_EQ(sum, expected);
  return 0;
}
