// Every iteration of a loop is executed once, whatever the schedule, the type of the variable, the direction, the
// stride and the length; lastprivate holds the last one's value.
// REQUIRES: gomp
// RUN: %gcc-openmp %s -o %t && %for-threads %t
// RUN: env OMP_SCHEDULE=static %for-threads -t "1 3" %t runtime
// RUN: env OMP_SCHEDULE=static,2 %for-threads -t "1 3" %t runtime
// RUN: env OMP_SCHEDULE=guided,3 %for-threads -t "1 3" %t runtime
// RUN: env OMP_SCHEDULE=nonmonotonic:dynamic,5 %for-threads -t "1 3" %t runtime
#include "support/check.h"
#include <string.h>

enum { kMost = 700 };
static unsigned char seen[kMost];

/// The iterations are numbered by `index`, which every loop computes from its variable.
static void visit(long long index) {
  CHECK(index >= 0 && index < kMost);
  CHECK_EQ(__atomic_fetch_add(&seen[index], 1, __ATOMIC_RELAXED), 0);
}

static void check_all(int count) {
  for (int i = 0; i < kMost; i++) CHECK_EQ(seen[i], i < count);
  memset(seen, 0, sizeof seen);
}

// The bounds are volatile, so that the loops are not combined with their regions: a combined loop has constant bounds.
#define LOOP(T, CLAUSES, FIRST, COUNT, STRIDE)                                                                         \
  do {                                                                                                                 \
    volatile T first_ = (T)(FIRST), beyond_up_ = (T)(first_ + (T)(COUNT) * (STRIDE)),                                  \
               beyond_down_ = (T)(first_ - (T)(COUNT) * (STRIDE));                                                     \
    T first = first_, up = beyond_up_, down = beyond_down_, last = 0, i;                                               \
    _Pragma("omp parallel") {                                                                                          \
      PRAGMA(omp for CLAUSES lastprivate(last))                                                                        \
      for (i = first; i < up; i += (STRIDE)) visit((long long)((i - first) / (STRIDE))), last = i;                     \
    }                                                                                                                  \
    if ((COUNT) > 0) CHECK(last == (T)(first + (T)((COUNT) - 1) * (STRIDE)));                                          \
    check_all(COUNT);                                                                                                  \
    if (sizeof(T) == 4 && (T) - 1 > 0) break; /* GCC 12 passes a decrement of unsigned int as 2^32 less it */          \
    _Pragma("omp parallel") {                                                                                          \
      PRAGMA(omp for CLAUSES lastprivate(last))                                                                        \
      for (i = first; i > down; i -= (STRIDE)) visit((long long)((first - i) / (STRIDE))), last = i;                   \
    }                                                                                                                  \
    if ((COUNT) > 0) CHECK(last == (T)(first - (T)((COUNT) - 1) * (STRIDE)));                                          \
    check_all(COUNT);                                                                                                  \
  } while (0)
#define PRAGMA(...) _Pragma(#__VA_ARGS__)

#define TYPES(CLAUSES, COUNT)                                                                                          \
  do {                                                                                                                 \
    LOOP(int, CLAUSES, 5, COUNT, 1);                                                                                   \
    LOOP(int, CLAUSES, -3, COUNT, 7);                                                                                  \
    LOOP(unsigned, CLAUSES, 10000, COUNT, 3);                                                                          \
    LOOP(long, CLAUSES, -11, COUNT, 1000000007L);                                                                      \
    LOOP(unsigned long, CLAUSES, 10000, COUNT, 2);                                                                     \
    LOOP(unsigned long long, CLAUSES, (1ull << 63), COUNT, (1ull << 50));                                              \
    LOOP(short, CLAUSES, 7, COUNT, 2);                                                                                 \
  } while (0)

#define COUNTS(CLAUSES)                                                                                                \
  for (unsigned c = 0; c < sizeof counts / sizeof *counts; c++) TYPES(CLAUSES, counts[c])

static const int counts[] = {0, 1, 2, 101, 700};

static void constant_bounds(void) {
#pragma omp parallel for schedule(dynamic)
  for (int i = 0; i < 700; i++) visit(i);
  check_all(700);
#pragma omp parallel for schedule(dynamic, 9)
  for (long i = 1400; i > 0; i -= 2) visit(i / 2 - 1);
  check_all(700);
#pragma omp parallel for schedule(monotonic : dynamic, 9)
  for (long i = 0; i < 700; i++) visit(i);
  check_all(700);
#pragma omp parallel for schedule(guided)
  for (int i = 0; i < 700; i++) visit(i);
  check_all(700);
#pragma omp parallel for schedule(monotonic : guided, 2)
  for (int i = 0; i < 700; i++) visit(i);
  check_all(700);
#pragma omp parallel for schedule(runtime) num_threads(4)
  for (int i = 0; i < 700; i++) visit(i);
  check_all(700);
#pragma omp parallel for schedule(monotonic : runtime)
  for (int i = 0; i < 700; i++) visit(i);
  check_all(700);
#pragma omp parallel for schedule(nonmonotonic : runtime)
  for (int i = 0; i < 700; i++) visit(i);
  check_all(700);
#pragma omp parallel for collapse(3) schedule(dynamic, 3)
  for (int i = 0; i < 7; i++)
    for (unsigned j = 20; j > 10; j--)
      for (long long k = 0; k < 20; k += 2) visit(i * 100 + (20 - (int)j) * 10 + k / 2);
  check_all(700);
}

int main(int argc, char** argv) {
  COUNTS(schedule(runtime));
  COUNTS(schedule(monotonic : runtime));
  if (argc > 1) return 0;
  COUNTS(schedule(nonmonotonic : runtime));
  COUNTS(schedule(static));
  COUNTS(schedule(static, 3));
  COUNTS(schedule(dynamic));
  COUNTS(schedule(dynamic, 7));
  COUNTS(schedule(monotonic : dynamic, 2));
  COUNTS(schedule(guided));
  COUNTS(schedule(monotonic : guided, 5));
  COUNTS(schedule(auto));
  constant_bounds();
  return 0;
}
