// Ordered regions run in iteration order under every schedule; doacross dependences hold; some iterations may skip
// their ordered region.
// RUN: %clang-openmp %s -o %t && %for-threads %t
#include <omp.h>

#include "support/check.h"

enum { kIterations = 300 };
static int next;

#define ORDERED(schedule_clause)                                                                                       \
  next = 0;                                                                                                            \
  _Pragma(schedule_clause) for (int i = 0; i < kIterations; i++) {                                                     \
    burn(i % 7 * 10);                                                                                                  \
    if (i % 5 != 3) {                                                                                                  \
      _Pragma("omp ordered") {                                                                                         \
        CHECK(i >= next);                                                                                              \
        next = i + 1;                                                                                                  \
      }                                                                                                                \
    }                                                                                                                  \
  }                                                                                                                    \
  CHECK_EQ(next, kIterations)

// A team's first ordered loops: some members are in the second one while others come to the first.
static void in_new_teams(void) {
  for (int threads = 2; threads <= omp_get_max_threads(); threads++) {
    int first = 0, second = 0;
#pragma omp parallel num_threads(threads)
    {
#pragma omp for ordered schedule(static, 1) nowait
      for (int i = 0; i < threads; i++) {
#pragma omp ordered
        CHECK_EQ(first++, i);
      }
#pragma omp for ordered schedule(dynamic) nowait
      for (int i = 0; i < 2 * threads; i++) {
#pragma omp ordered
        CHECK_EQ(second++, i);
      }
    }
    CHECK_EQ(second, 2 * threads);
  }
}

int main(void) {
  in_new_teams();
  ORDERED("omp parallel for ordered");
  ORDERED("omp parallel for ordered schedule(static)");
  ORDERED("omp parallel for ordered schedule(static, 3)");
  ORDERED("omp parallel for ordered schedule(dynamic)");
  ORDERED("omp parallel for ordered schedule(dynamic, 4)");
  ORDERED("omp parallel for ordered schedule(guided)");
  ORDERED("omp parallel for ordered schedule(auto)");
  ORDERED("omp parallel for ordered schedule(runtime)");

  enum { kSide = 40 };
  static long cell[kSide + 1][kSide + 1], expected[kSide + 1][kSide + 1];
  for (int i = 0; i <= kSide; i++) cell[i][0] = cell[0][i] = expected[i][0] = expected[0][i] = 1;
  for (int i = 1; i <= kSide; i++)
    for (int j = 1; j <= kSide; j++) expected[i][j] = (expected[i - 1][j] + 3 * expected[i][j - 1] + j) % 1000003;
#pragma omp parallel for ordered(2) schedule(static, 1)
  for (int i = 1; i <= kSide; i++)
    for (int j = 1; j <= kSide; j++) {
#pragma omp ordered depend(sink : i - 1, j) depend(sink : i, j - 1)
      cell[i][j] = (cell[i - 1][j] + 3 * cell[i][j - 1] + j) % 1000003;
#pragma omp ordered depend(source)
    }
  for (int i = 0; i <= kSide; i++)
    for (int j = 0; j <= kSide; j++) CHECK_EQ(cell[i][j], expected[i][j]);
  return 0;
}
