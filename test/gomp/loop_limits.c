// Loops at the ends of their types: no bound, no chunk size and no end of a chunk overflows. The entry points are
// called directly, also with what GCC would compute at compile time.
// REQUIRES: gomp
// RUN: %gcc-openmp %s -o %t && %for-threads %t
#include "support/check.h"
#include <limits.h>
#include <stdbool.h>
#include <stdint.h>

typedef unsigned long long ull;
#define STARTS(name)                                                                                                   \
  extern bool GOMP_loop_##name##_start(long, long, long, long, long*, long*);                                          \
  extern bool GOMP_loop_##name##_next(long*, long*);                                                                   \
  extern bool GOMP_loop_ull_##name##_start(bool, ull, ull, ull, ull, ull*, ull*);                                      \
  extern bool GOMP_loop_ull_##name##_next(ull*, ull*);
STARTS(static)
STARTS(dynamic)
STARTS(guided)
STARTS(nonmonotonic_dynamic)
STARTS(nonmonotonic_guided)
STARTS(ordered_static)
STARTS(ordered_dynamic)
STARTS(ordered_guided)
extern void GOMP_loop_end(void);
extern void GOMP_loop_end_nowait(void);

static int iterations;
static ull sum;

#define RUN_LONG(name, first, beyond, incr, chunk)                                                                     \
  do {                                                                                                                 \
    iterations = 0, sum = 0;                                                                                           \
    _Pragma("omp parallel") {                                                                                          \
      long start, end;                                                                                                 \
      if (GOMP_loop_##name##_start(first, beyond, incr, chunk, &start, &end)) do {                                     \
          CHECK((incr) > 0 ? start < end && end <= (beyond) : start > end && end >= (beyond));                         \
          for (__int128 i = start; (incr) > 0 ? i < end : i > end; i += (incr)) {                                      \
            ATOMIC_ADD(iterations, 1);                                                                                 \
            ATOMIC_ADD(sum, (ull)i);                                                                                   \
          }                                                                                                            \
        } while (GOMP_loop_##name##_next(&start, &end));                                                               \
      GOMP_loop_end();                                                                                                 \
    }                                                                                                                  \
  } while (0)

#define RUN_ULL(name, up, first, beyond, incr, chunk)                                                                  \
  do {                                                                                                                 \
    iterations = 0, sum = 0;                                                                                           \
    _Pragma("omp parallel") {                                                                                          \
      ull start, end;                                                                                                  \
      if (GOMP_loop_ull_##name##_start(up, first, beyond, incr, chunk, &start, &end)) do {                             \
          CHECK(up ? start < end && end <= (beyond) : start > end && end >= (beyond));                                 \
          __int128 step = up ? (__int128)(ull)(incr) : -(__int128)(ull) - (incr);                                      \
          for (__int128 i = start; up ? i < end : i > end; i += step) {                                                \
            ATOMIC_ADD(iterations, 1);                                                                                 \
            ATOMIC_ADD(sum, (ull)i);                                                                                   \
          }                                                                                                            \
        } while (GOMP_loop_ull_##name##_next(&start, &end));                                                           \
      GOMP_loop_end_nowait();                                                                                          \
    }                                                                                                                  \
  } while (0)

/// `count` values from `first`, `step` apart, modulo 2^64.
static void expect(int count, ull first, ull step) {
  ull wanted = 0;
  for (int i = 0; i < count; i++) wanted += first + (ull)i * step;
  CHECK_EQ(iterations, count);
  CHECK_EQ(sum, wanted);
}

#define ALL(name, chunk)                                                                                               \
  do {                                                                                                                 \
    RUN_LONG(name, LONG_MAX - 10, LONG_MAX, 3, chunk);                                                                 \
    expect(4, LONG_MAX - 10, 3);                                                                                       \
    RUN_LONG(name, LONG_MIN + 10, LONG_MIN, -3, chunk);                                                                \
    expect(4, (ull)LONG_MIN + 10, -3);                                                                                 \
    RUN_LONG(name, LONG_MIN, LONG_MAX, LONG_MAX / 2, chunk);                                                           \
    expect(5, LONG_MIN, LONG_MAX / 2);                                                                                 \
    RUN_LONG(name, LONG_MAX, LONG_MIN, LONG_MIN, chunk);                                                               \
    expect(2, LONG_MAX, LONG_MIN);                                                                                     \
    RUN_LONG(name, 5, 5, 1, chunk);                                                                                    \
    expect(0, 0, 0);                                                                                                   \
    RUN_LONG(name, 5, 4, 1, chunk);                                                                                    \
    expect(0, 0, 0);                                                                                                   \
    RUN_LONG(name, 5, 6, -1, chunk);                                                                                   \
    expect(0, 0, 0);                                                                                                   \
    RUN_LONG(name, LONG_MAX, LONG_MIN, 1, chunk);                                                                      \
    expect(0, 0, 0);                                                                                                   \
    RUN_LONG(name, 0, 100, 1, chunk);                                                                                  \
    expect(100, 0, 1);                                                                                                 \
    RUN_ULL(name, true, ULLONG_MAX - 10, ULLONG_MAX, 3, chunk);                                                        \
    expect(4, ULLONG_MAX - 10, 3);                                                                                     \
    RUN_ULL(name, false, 10, 0, -3ull, chunk);                                                                         \
    expect(4, 10, -3);                                                                                                 \
    RUN_ULL(name, true, 0, ULLONG_MAX, 1ull << 63, chunk);                                                             \
    expect(2, 0, 1ull << 63);                                                                                          \
    RUN_ULL(name, true, 5, ULLONG_MAX, (1ull << 63) + 7, chunk);                                                       \
    expect(2, 5, (1ull << 63) + 7);                                                                                    \
    RUN_ULL(name, false, ULLONG_MAX, 0, 1ull << 63, chunk);                                                            \
    expect(2, ULLONG_MAX, 1ull << 63);                                                                                 \
    RUN_ULL(name, true, 0, 0, 1, chunk);                                                                               \
    expect(0, 0, 0);                                                                                                   \
    RUN_ULL(name, true, ULLONG_MAX, 0, 1, chunk);                                                                      \
    expect(0, 0, 0);                                                                                                   \
    RUN_ULL(name, false, 0, ULLONG_MAX, -1ull, chunk);                                                                 \
    expect(0, 0, 0);                                                                                                   \
    RUN_ULL(name, false, 100, 0, -1ull, chunk);                                                                        \
    expect(100, 100, -1);                                                                                              \
  } while (0)

static const long chunks[] = {1, 3, 0, LONG_MAX}; // 0: none given; one block for each thread if static
#define CHUNKS(name)                                                                                                   \
  for (unsigned c = 0; c < sizeof chunks / sizeof *chunks; c++) ALL(name, chunks[c])

int main(void) {
  CHUNKS(static);
  CHUNKS(dynamic);
  CHUNKS(guided);
  CHUNKS(nonmonotonic_dynamic);
  CHUNKS(nonmonotonic_guided);
  CHUNKS(ordered_static);
  CHUNKS(ordered_dynamic);
  CHUNKS(ordered_guided);
  RUN_ULL(dynamic, true, 0, 100, 1, ULLONG_MAX);
  expect(100, 0, 1);
  RUN_ULL(static, true, 0, 100, 1, ULLONG_MAX);
  expect(100, 0, 1);
  RUN_ULL(guided, false, 100, 0, -1ull, ULLONG_MAX);
  expect(100, 100, -1);
  return 0;
}
