// Tries all small loops, for each entry point of dispatch: bounds, strides, chunks and schedules, at the middle and at
// the ends of each type. Every iteration is handed out exactly once, in chunks that begin on a chunk's boundary; only
// the thread that has the last iteration learns that it is the last, and it gets no other one after it; a thread that
// has none left gets none later.
// RUN: %clang-openmp %s -o %t && %for-threads -t "1 2 3 5 8" %t
#include "support/check.h"
#include <limits.h>
#include <omp.h>
#include <stdint.h>
#include <string.h>

enum { kMost = 64 };
static const int lengths[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 20, 31, 42, 53, 64};
enum { kLengths = sizeof lengths / sizeof *lengths };
static int runs[kLengths][kMost], lasts[kLengths];

typedef struct {
  const char* name;
  int code, in_order, whole_chunks;
} Schedule;

enum { MONOTONIC = 1 << 29, NONMONOTONIC = 1 << 30 };
static const Schedule schedules[] = {
    {"static", 34, 1, 0},
    {"static chunked", 33, 1, 1},
    {"dynamic of older compilers", 35, 1, 1},
    {"dynamic", 35 | NONMONOTONIC, 0, 1},
    {"monotonic dynamic", 35 | MONOTONIC, 1, 1},
    {"guided of older compilers", 36, 1, 0},
    {"guided", 36 | NONMONOTONIC, 1, 0},
    {"monotonic guided", 36 | MONOTONIC, 1, 0},
    {"runtime", 37 | NONMONOTONIC, 0, 0},
    {"auto", 38 | NONMONOTONIC, 0, 0},
    {"trapezoidal", 39, 0, 0},
    {"static steal", 44, 0, 1},
    {"guided simd", 46 | NONMONOTONIC, 0, 1},
    {"one by one", 163, 1, 1},
};

static void check(const char* type, const char* schedule, long stride, long chunk, int where) {
  for (int k = 0; k < kLengths; k++) {
    for (int i = 0; i < kMost; i++) {
      if (runs[k][i] == (i < lengths[k])) continue;
      fprintf(stderr, "%s %s, %d iterations, stride %ld chunk %ld where %d: %d times iteration %d\n", type, schedule,
              lengths[k], stride, chunk, where, runs[k][i], i);
      _exit(1);
    }
    CHECK_EQ(lasts[k], lengths[k] > 0);
  }
  memset(runs, 0, sizeof runs);
  memset(lasts, 0, sizeof lasts);
}

#define TYPE(SUFFIX, T, SIGNED, LOWEST, HIGHEST)                                                                       \
  extern void __kmpc_dispatch_init_##SUFFIX(void*, int, int, T, T, SIGNED, SIGNED);                                    \
  extern int __kmpc_dispatch_next_##SUFFIX(void*, int, int*, T*, T*, SIGNED*);                                         \
                                                                                                                       \
  static void loop_##SUFFIX(int k, int where, SIGNED stride, SIGNED chunk, Schedule schedule) {                        \
    const T middle = (T)(LOWEST + (HIGHEST / 2 - LOWEST / 2));                                                         \
    long n = lengths[k];                                                                                               \
    T span = (T)((T)n * (T)(stride < 0 ? -stride : stride));                                                           \
    T lower = stride > 0 ? LOWEST : HIGHEST; /* where 2, and of an empty loop one that leaves room */                  \
    if (where == 0) lower = middle;                                                                                    \
    if (where == 1) lower = stride > 0 ? (T)(HIGHEST - span + 1) : (T)(LOWEST + span - 1);                             \
    if (n == 0) lower = middle;                                                                                        \
    T upper = (T)((uint64_t)lower + (uint64_t)(n - 1) * (uint64_t)stride); /* of an empty loop: one stride before */   \
    int had_last = 0;                                                                                                  \
    long before = -1;                                                                                                  \
    __kmpc_dispatch_init_##SUFFIX(0, 0, schedule.code, lower, upper, stride, chunk);                                   \
    int last = 0;                                                                                                      \
    T low, high;                                                                                                       \
    SIGNED step;                                                                                                       \
    while (__kmpc_dispatch_next_##SUFFIX(0, 0, &last, &low, &high, &step)) {                                           \
      CHECK(step == stride);                                                                                           \
      CHECK(!had_last);                                                                                                \
      T distance = stride > 0 ? (T)(low - lower) : (T)(lower - low);                                                   \
      T size = stride > 0 ? (T)(high - low) : (T)(low - high);                                                         \
      uint64_t width = stride > 0 ? (uint64_t)stride : -(uint64_t)stride;                                              \
      if (sizeof(T) == 4) width = (uint32_t)width, distance = (uint32_t)distance, size = (uint32_t)size;               \
      long first = (long)((uint64_t)distance / width), count = (long)((uint64_t)size / width) + 1;                     \
      CHECK(first >= 0 && count >= 1 && first + count <= n);                                                           \
      if (schedule.whole_chunks && omp_get_num_threads() > 1) CHECK_EQ(first % chunk, 0);                              \
      if (schedule.in_order) CHECK(first > before);                                                                    \
      before = first;                                                                                                  \
      for (long i = first; i < first + count; i++) ATOMIC_ADD(runs[k][i], 1);                                          \
      if (first + count == n) had_last = 1;                                                                            \
      if (had_last) CHECK(last);                                                                                       \
    }                                                                                                                  \
    CHECK_EQ(!!last, had_last);                                                                                        \
    if (had_last) ATOMIC_ADD(lasts[k], 1);                                                                             \
  }                                                                                                                    \
                                                                                                                       \
  static void grid_##SUFFIX(void) {                                                                                    \
    const SIGNED strides[] = {1, -1, 3, -7};                                                                           \
    const SIGNED chunks[] = {1, 2, 5, 64, (SIGNED)(HIGHEST / 2)};                                                      \
    for (unsigned s = 0; s < sizeof schedules / sizeof *schedules; s++)                                                \
      for (unsigned t = 0; t < 4; t++)                                                                                 \
        for (unsigned c = 0; c < 5; c++)                                                                               \
          for (int where = 0; where < 3; where++) {                                                                    \
            _Pragma("omp parallel") for (int k = 0; k < kLengths; k++)                                                 \
                loop_##SUFFIX(k, where, strides[t], chunks[c], schedules[s]);                                          \
            check(#SUFFIX, schedules[s].name, (long)strides[t], (long)chunks[c], where);                               \
          }                                                                                                            \
  }
TYPE(4, int32_t, int32_t, INT32_MIN, INT32_MAX)
TYPE(4u, uint32_t, int32_t, 0, UINT32_MAX)
TYPE(8, int64_t, int64_t, INT64_MIN, INT64_MAX)
TYPE(8u, uint64_t, int64_t, 0, UINT64_MAX)

int main(void) {
  grid_4();
  grid_4u();
  grid_8();
  grid_8u();
  return 0;
}
