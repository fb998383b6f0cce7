// Inclusive and exclusive scans of worksharing loops give every iteration the value that the sequential loop would.
// (One variable at a time: with two, GCC 12's code uses a pointer that it has not set.) libomp 19 refuses such
// programs.
// REQUIRES: gomp
// RUN: %gcc-openmp %s -o %t && %for-threads %t
#include "support/check.h"

enum { N = 5000 };
static long in[N], out[N];

static long inclusive(int n) {
  long sum = 5;
#pragma omp parallel for reduction(inscan, + : sum)
  for (int i = 0; i < n; i++) {
    sum += in[i];
#pragma omp scan inclusive(sum)
    out[i] = sum;
  }
  return sum;
}

static long exclusive(int n) {
  long sum = 7;
#pragma omp parallel
#pragma omp for reduction(inscan, + : sum)
  for (int i = 0; i < n; i++) {
    out[i] = sum;
#pragma omp scan exclusive(sum)
    sum += in[i];
  }
  return sum;
}

static void maximum(int n) {
  long highest = -1;
#pragma omp parallel for reduction(inscan, max : highest)
  for (int i = 0; i < n; i++) {
    highest = in[i] > highest ? in[i] : highest;
#pragma omp scan inclusive(highest)
    out[i] = highest;
  }
  long expected = -1;
  for (int i = 0; i < n; i++) {
    expected = in[i] > expected ? in[i] : expected;
    CHECK_EQ(out[i], expected);
  }
  CHECK_EQ(highest, expected);
}

int main(void) {
  for (int i = 0; i < N; i++) in[i] = (i * 7919L) % 613;
  int sizes[] = {0, 1, 2, 7, 33, 1000, N};
  for (int round = 0; round < 10; round++)
    for (unsigned s = 0; s < sizeof sizes / sizeof *sizes; s++) {
      int n = sizes[s];
      long sum = 5, total = inclusive(n);
      for (int i = 0; i < n; i++) CHECK_EQ(out[i], sum += in[i]);
      CHECK_EQ(total, sum);
      total = exclusive(n);
      sum = 7;
      for (int i = 0; i < n; i++) {
        CHECK_EQ(out[i], sum);
        sum += in[i];
      }
      CHECK_EQ(total, sum);
      maximum(n);
    }
  return 0;
}
