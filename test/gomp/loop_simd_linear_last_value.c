// parallel for simd linear(i : step): the variable has its value after the last iteration, whatever the schedule, also
// where the last iteration does not end exactly at the loop's bound. GCC's code knows the last chunk by its end.
// libomp 19, preloaded, loses the value of dynamic and guided loops.
// REQUIRES: gomp
// RUN: %gcc-openmp %s -o %t && %for-threads %t
#include "support/check.h"

static long runs;

#define LOOP(TYPE, FIRST, COMPARE, BEYOND, STEP, ...)                                                                  \
  do {                                                                                                                 \
    TYPE i;                                                                                                            \
    long wanted = 0;                                                                                                   \
    for (i = (TYPE)(FIRST); i COMPARE(TYPE)(BEYOND); i += STEP) wanted++;                                              \
    TYPE final = i;                                                                                                    \
    int last = -1;                                                                                                     \
    runs = 0;                                                                                                          \
    PRAGMA(omp parallel for simd linear(i : STEP) schedule(__VA_ARGS__) reduction(+ : runs) lastprivate(last))         \
    for (i = (TYPE)(FIRST); i COMPARE(TYPE)(BEYOND); i += STEP) {                                                      \
      runs++;                                                                                                          \
      last = (int)i;                                                                                                   \
    }                                                                                                                  \
    CHECK_EQ(runs, wanted);                                                                                            \
    if (wanted > 0) CHECK_EQ(i, final);                                                                                \
    if (wanted > 0) CHECK_EQ(last, (int)(final - STEP));                                                               \
  } while (0)
#define PRAGMA(text) _Pragma(#text)

#define BOUNDS(TYPE, ...)                                                                                              \
  for (int beyond = 1; beyond < 20; beyond++) {                                                                        \
    LOOP(TYPE, 0, <, beyond, 4, __VA_ARGS__);                                                                          \
    LOOP(TYPE, 2, <, beyond + 2, 1, __VA_ARGS__);                                                                      \
    LOOP(TYPE, beyond + 40, >, 40, -3, __VA_ARGS__);                                                                   \
    LOOP(TYPE, 0, <=, beyond, 7, __VA_ARGS__);                                                                         \
  }
#define SCHEDULES(TYPE)                                                                                                \
  BOUNDS(TYPE, static)                                                                                                 \
  BOUNDS(TYPE, static, 2)                                                                                              \
  BOUNDS(TYPE, dynamic)                                                                                                \
  BOUNDS(TYPE, dynamic, 3)                                                                                             \
  BOUNDS(TYPE, monotonic : dynamic, 2)                                                                                 \
  BOUNDS(TYPE, guided)                                                                                                 \
  BOUNDS(TYPE, guided, 2)                                                                                              \
  BOUNDS(TYPE, auto)                                                                                                   \
  BOUNDS(TYPE, runtime)

static void ints(void) { SCHEDULES(int) }
static void unsigned_longs(void) { SCHEDULES(unsigned long) }
static void unsigned_long_longs(void) { SCHEDULES(unsigned long long) }

int main(void) {
  ints();
  unsigned_longs();
  unsigned_long_longs();
  return 0;
}
