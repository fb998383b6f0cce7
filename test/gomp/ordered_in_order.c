// Ordered regions run in the order of the sequential loop, for every schedule and direction, also if only some
// iterations have one.
// REQUIRES: gomp
// RUN: %gcc-openmp %s -o %t && %for-threads %t
// RUN: env OMP_SCHEDULE=static,2 %for-threads -t "1 3" %t
// RUN: env OMP_SCHEDULE=guided %for-threads -t "1 3" %t
#include "support/check.h"

#define PRAGMA(...) _Pragma(#__VA_ARGS__)
#define LOOP(T, COUNT, ...)                                                                                            \
  do {                                                                                                                 \
    T turn = 0, n = (COUNT);                                                                                           \
    PRAGMA(omp parallel for ordered __VA_ARGS__)                                                                       \
    for (T i = 0; i < n; i++) {                                                                                        \
      burn((int)(i % 7) * 10);                                                                                         \
      PRAGMA(omp ordered) {                                                                                            \
        CHECK(turn == i);                                                                                              \
        turn = i + 1;                                                                                                  \
      }                                                                                                                \
    }                                                                                                                  \
    CHECK(turn == n);                                                                                                  \
    PRAGMA(omp parallel for ordered __VA_ARGS__)                                                                       \
    for (T i = n; i > 0; i--) {                                                                                        \
      if (i % 3 == 0) continue;                                                                                        \
      PRAGMA(omp ordered) {                                                                                            \
        CHECK(turn >= i && turn - i < 3);                                                                              \
        turn = i;                                                                                                      \
      }                                                                                                                \
    }                                                                                                                  \
    CHECK(n == 0 || turn == 1);                                                                                        \
  } while (0)

#define TYPES(...)                                                                                                     \
  do {                                                                                                                 \
    LOOP(int, 200, __VA_ARGS__);                                                                                       \
    LOOP(int, 0, __VA_ARGS__);                                                                                         \
    LOOP(int, 1, __VA_ARGS__);                                                                                         \
    LOOP(long, 201, __VA_ARGS__);                                                                                      \
    LOOP(unsigned long long, 202, __VA_ARGS__);                                                                        \
  } while (0)

int main(void) {
  for (int round = 0; round < 5; round++) {
    TYPES(schedule(static));
    TYPES(schedule(static, 1));
    TYPES(schedule(static, 5));
    TYPES(schedule(dynamic));
    TYPES(schedule(dynamic, 4));
    TYPES(schedule(guided));
    TYPES(schedule(guided, 3));
    TYPES(schedule(runtime));
  }
  return 0;
}
