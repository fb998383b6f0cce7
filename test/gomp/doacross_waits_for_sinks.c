// ordered(n) with depend(sink) and depend(source): an iteration runs after those that it names, in one to five
// dimensions, collapsed ones, unsigned ones, of any stride; iterations outside the loop are not waited for, and an
// empty loop is left.
// REQUIRES: gomp
// RUN: %gcc-openmp %s -o %t && %for-threads %t
// RUN: env OMP_SCHEDULE=dynamic,3 %for-threads -t "1 3" %t
#include "support/check.h"
#include <string.h>

enum { N = 24 };
static long grid[N + 2][N + 2], line[500];

static long value(int i, int j) { return i == 0 || j == 0 ? 1 : grid[i][j]; }

static void check_grid(void) {
  for (int i = 1; i <= N; i++)
    for (int j = 1; j <= N; j++) CHECK_EQ(grid[i][j], (value(i - 1, j) + 3 * value(i, j - 1)) % 1000003);
  memset(grid, 0, sizeof grid);
}

#define PRAGMA(...) _Pragma(#__VA_ARGS__)
#define CELL(i, j) grid[i][j] = (value((i) - 1, j) + 3 * value(i, (j) - 1)) % 1000003

#define SCHEDULES(...)                                                                                                 \
  do {                                                                                                                 \
    PRAGMA(omp parallel for ordered(2) __VA_ARGS__)                                                                    \
    for (int i = 1; i <= N; i++)                                                                                       \
      for (int j = 1; j <= N; j++) {                                                                                   \
        PRAGMA(omp ordered depend(sink : i - 1, j) depend(sink : i, j - 1))                                            \
        CELL(i, j);                                                                                                    \
        PRAGMA(omp ordered depend(source))                                                                             \
      }                                                                                                                \
    check_grid();                                                                                                      \
    PRAGMA(omp parallel for ordered(1) __VA_ARGS__)                                                                    \
    for (long long i = 400; i > 4; i -= 4) {                                                                           \
      PRAGMA(omp ordered depend(sink : i + 4))                                                                         \
      line[i] = line[i + 4] + 1;                                                                                       \
      PRAGMA(omp ordered depend(source))                                                                               \
    }                                                                                                                  \
    CHECK_EQ(line[8], 99);                                                                                             \
    memset(line, 0, sizeof line);                                                                                      \
    /* Upwards only: GCC 12 gets the sinks of unsigned loops wrong that go down, and every runtime hangs. */           \
    PRAGMA(omp parallel for ordered(1) __VA_ARGS__)                                                                    \
    for (unsigned long long i = 8; i <= 400; i += 4) {                                                                 \
      PRAGMA(omp ordered depend(sink : i - 4))                                                                         \
      line[i] = line[i - 4] + 1;                                                                                       \
      PRAGMA(omp ordered depend(source))                                                                               \
    }                                                                                                                  \
    CHECK_EQ(line[400], 99);                                                                                           \
    memset(line, 0, sizeof line);                                                                                      \
    PRAGMA(omp parallel for ordered(3) collapse(2) __VA_ARGS__)                                                        \
    for (int i = 1; i <= N; i++)                                                                                       \
      for (int j = 1; j <= N; j++)                                                                                     \
        for (int k = 0; k < 2; k++) {                                                                                  \
          PRAGMA(omp ordered depend(sink : i - 1, j, k) depend(sink : i, j - 1, k) depend(sink : i, j, k - 1))         \
          if (k == 0) CELL(i, j);                                                                                      \
          PRAGMA(omp ordered depend(source))                                                                           \
        }                                                                                                              \
    check_grid();                                                                                                      \
  } while (0)

static void five_dimensions(void) {
  int last = -1, count = 0;
#pragma omp parallel for ordered(5) schedule(dynamic)
  for (int a = 0; a < 3; a++)
    for (int b = 0; b < 2; b++)
      for (int c = 2; c > 0; c--)
        for (int d = 0; d < 4; d += 2)
          for (unsigned long e = 0; e < 2; e++) {
    // Each iteration waits for the one before it in the sequential order.
#pragma omp ordered depend(sink : a, b, c, d, e - 1) depend(sink : a, b, c, d - 2, e + 1)                              \
    depend(sink : a, b, c + 1, d + 2, e + 1) depend(sink : a, b - 1, c - 1, d + 2, e + 1)                              \
    depend(sink : a - 1, b + 1, c - 1, d + 2, e + 1)
            int mine = (((a * 2 + b) * 2 + (2 - c)) * 2 + d / 2) * 2 + (int)e;
            CHECK_EQ(mine, last + 1);
            last = mine;
            count++;
#pragma omp ordered depend(source)
          }
  CHECK_EQ(count, 48);
}

static void empty(volatile int* zero) {
  int count = 0, n = *zero;
#pragma omp parallel for ordered(2) reduction(+ : count)
  for (int i = 0; i < n; i++)
    for (int j = 0; j < 5; j++) {
#pragma omp ordered depend(sink : i - 1, j)
      count++;
#pragma omp ordered depend(source)
    }
#pragma omp parallel for ordered(2) reduction(+ : count) schedule(dynamic)
  for (int i = 0; i < 5; i++)
    for (int j = 0; j < n; j++) {
#pragma omp ordered depend(sink : i - 1, j)
      count++;
#pragma omp ordered depend(source)
    }
  CHECK_EQ(count, 0);
}

/// Many loops without a barrier between them: members are in different ones.
static void nowait_chain(void) {
  int done = 0;
#pragma omp parallel
  for (int round = 0; round < 40; round++) {
#pragma omp for ordered(1) schedule(dynamic, 2) nowait
    for (int i = 0; i < 10; i++) {
#pragma omp ordered depend(sink : i - 1)
      ATOMIC_ADD(done, 1);
#pragma omp ordered depend(source)
    }
  }
  CHECK_EQ(done, 400);
}

int main(void) {
  volatile int zero = 0;
  for (int round = 0; round < 5; round++) {
    SCHEDULES(schedule(static));
    SCHEDULES(schedule(static, 1));
    SCHEDULES(schedule(static, 3));
    SCHEDULES(schedule(dynamic));
    SCHEDULES(schedule(dynamic, 2));
    SCHEDULES(schedule(guided));
    SCHEDULES(schedule(runtime));
    five_dimensions();
    empty(&zero);
    nowait_chain();
  }
  return 0;
}
