// Every schedule runs each iteration exactly once, for each type of loop variable, both directions, strides, lengths
// around the chunk and team sizes, and ranges that reach the ends of their type.
// RUN: %clang-openmp %s -o %t && %for-threads -t "1 2 3 8" %t
// RUN: env OMP_SCHEDULE=dynamic,3 %for-threads -t 3 %t
// RUN: env OMP_SCHEDULE=guided,2 %for-threads -t 3 %t
// RUN: env OMP_SCHEDULE=static,5 %for-threads -t 3 %t
// RUN: env OMP_SCHEDULE=auto %for-threads -t 3 %t
// RUN: env OMP_SCHEDULE=nonmonotonic:dynamic %for-threads -t 3 %t
// RUN: env OMP_SCHEDULE=monotonic:guided,7 %for-threads -t 3 %t
// RUN: %if hwloc %{ env HWLOC_SYNTHETIC="pack:3 l3:1 core:3 pu:1" %for-threads -t "7 9" %t %}
// On several chips loops in any order have a front for each.
#include "support/check.h"
#include <limits.h>
#include <string.h>

enum { kMost = 1024 };
static int runs[kMost];

static void all_once(long n, const char* what) {
  for (long i = 0; i < kMost; i++)
    if (runs[i] != (i < n)) {
      fprintf(stderr, "%s: %d times iteration %ld of %ld\n", what, runs[i], i, n);
      _exit(1);
    }
  memset(runs, 0, sizeof runs);
}

#define PRAGMA(...) _Pragma(#__VA_ARGS__)

// `step` is positive; the iteration number is computed in unsigned arithmetic, which wraps as the loop variable does.
#define LOOPS(TYPE, SCHEDULE)                                                                                          \
  static void up_##TYPE(TYPE low, TYPE high, TYPE step, long n) {                                                      \
    PRAGMA(omp parallel for SCHEDULE)                                                                                  \
    for (TYPE i = low; i < high; i += step)                                                                            \
      ATOMIC_ADD(runs[((unsigned long long)i - (unsigned long long)low) / (unsigned long long)step], 1);               \
    all_once(n, "up " #TYPE " " #SCHEDULE);                                                                            \
  }                                                                                                                    \
  static void down_##TYPE(TYPE high, TYPE low, TYPE step, long n) {                                                    \
    PRAGMA(omp parallel for SCHEDULE)                                                                                  \
    for (TYPE i = high; i > low; i -= step)                                                                            \
      ATOMIC_ADD(runs[((unsigned long long)high - (unsigned long long)i) / (unsigned long long)step], 1);              \
    all_once(n, "down " #TYPE " " #SCHEDULE);                                                                          \
  }

#define EVERYTHING(NAME, SCHEDULE)                                                                                     \
  typedef int i32_##NAME;                                                                                              \
  typedef unsigned u32_##NAME;                                                                                         \
  typedef long long i64_##NAME;                                                                                        \
  typedef unsigned long long u64_##NAME;                                                                               \
  LOOPS(i32_##NAME, SCHEDULE)                                                                                          \
  LOOPS(u32_##NAME, SCHEDULE)                                                                                          \
  LOOPS(i64_##NAME, SCHEDULE)                                                                                          \
  LOOPS(u64_##NAME, SCHEDULE)                                                                                          \
  static void NAME(void) {                                                                                             \
    const int lengths[] = {0, 1, 2, 7, 33, 1000};                                                                      \
    for (unsigned k = 0; k < sizeof lengths / sizeof *lengths; k++)                                                    \
      for (int step = 1; step <= 5; step += 4) {                                                                       \
        long n = lengths[k];                                                                                           \
        up_i32_##NAME(-5, -5 + n * step, step, n);                                                                     \
        down_i32_##NAME(5, 5 - n * step, step, n);                                                                     \
        up_u32_##NAME(0, n* step, step, n);                                                                            \
        down_u64_##NAME(n* step, 0, step, n);                                                                          \
      }                                                                                                                \
    up_i32_##NAME(3, -3, 1, 0);                                                                                        \
    up_i32_##NAME(INT_MIN, INT_MAX - (1 << 28), 1 << 28, 15);                                                          \
    down_i32_##NAME(INT_MAX, INT_MIN + (1 << 28), 1 << 28, 15);                                                        \
    up_i32_##NAME(INT_MAX - 100, INT_MAX - 10, 10, 9);                                                                 \
    up_i32_##NAME(INT_MIN, INT_MIN + 500, 1, 500);                                                                     \
    up_u32_##NAME(0, UINT_MAX - (1u << 27), 1u << 27, 31);                                                             \
    up_u32_##NAME(UINT_MAX - 600, UINT_MAX - 1, 1, 599);                                                               \
    down_u32_##NAME(UINT_MAX, UINT_MAX - 300, 1, 300);                                                                 \
    up_i64_##NAME(LLONG_MIN, LLONG_MAX - (1LL << 57), 1LL << 57, 127);                                                 \
    down_i64_##NAME(LLONG_MAX, LLONG_MIN + (1LL << 57), 1LL << 57, 127);                                               \
    up_i64_##NAME(LLONG_MAX - 700, LLONG_MAX - 7, 7, 99);                                                              \
    up_u64_##NAME(0, ULLONG_MAX - (1ULL << 58), 1ULL << 58, 63);                                                       \
    up_u64_##NAME(1ULL << 63, (1ULL << 63) + 900, 3, 300);                                                             \
    down_u64_##NAME(ULLONG_MAX, ULLONG_MAX - 800, 2, 400);                                                             \
  }

EVERYTHING(default_schedule, )
EVERYTHING(static_blocks, schedule(static))
EVERYTHING(static_one, schedule(static, 1))
EVERYTHING(static_seven, schedule(static, 7))
EVERYTHING(dynamic_one, schedule(dynamic))
EVERYTHING(dynamic_five, schedule(dynamic, 5))
EVERYTHING(dynamic_huge, schedule(dynamic, 2000000000))
EVERYTHING(dynamic_monotonic, schedule(monotonic : dynamic, 2))
EVERYTHING(dynamic_nonmonotonic, schedule(nonmonotonic : dynamic, 2))
EVERYTHING(guided_one, schedule(guided))
EVERYTHING(guided_nine, schedule(guided, 9))
EVERYTHING(automatic, schedule(auto))
EVERYTHING(at_run_time, schedule(runtime))
EVERYTHING(with_simd, schedule(simd : dynamic, 6))

int main(void) {
  default_schedule();
  static_blocks();
  static_one();
  static_seven();
  dynamic_one();
  dynamic_five();
  dynamic_huge();
  dynamic_monotonic();
  dynamic_nonmonotonic();
  guided_one();
  guided_nine();
  automatic();
  at_run_time();
  with_simd();
#pragma omp parallel for collapse(3) schedule(dynamic, 4)
  for (int i = 0; i < 10; i++)
    for (int j = 9; j >= 0; j--)
      for (int k = 0; k < 20; k += 2) ATOMIC_ADD(runs[i * 100 + j * 10 + k / 2], 1);
  all_once(1000, "collapse");
#pragma omp parallel for collapse(2) schedule(static)
  for (int i = 0; i < 20; i++)
    for (int j = 0; j < i; j++) ATOMIC_ADD(runs[i * (i - 1) / 2 + j], 1);
  all_once(190, "triangle");
  return 0;
}
