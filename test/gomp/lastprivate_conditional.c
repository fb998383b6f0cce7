// lastprivate(conditional: …) keeps the value of the last iteration (or section) that assigns one, whatever thread ran
// it, and leaves the variable alone if none does: the threads share memory for the construct. Many constructs may be
// under way at once.
// libomp 19 refuses such programs.
// REQUIRES: gomp
// RUN: %gcc-openmp %s -o %t && %for-threads %t
#include "support/check.h"
#include <string.h>

static char assigns[1000];

#define PRAGMA(...) _Pragma(#__VA_ARGS__)
#define LOOP(T, CLAUSES)                                                                                               \
  do {                                                                                                                 \
    long a = -1;                                                                                                       \
    T b = 100;                                                                                                         \
    PRAGMA(omp parallel)                                                                                               \
    PRAGMA(omp for CLAUSES lastprivate(conditional : a, b))                                                            \
    for (T i = 0; i < 1000; i++) {                                                                                     \
      if (assigns[i] & 1) a = (long)i;                                                                                 \
      if (assigns[i] & 2) b = i;                                                                                       \
    }                                                                                                                  \
    CHECK_EQ(a, last_a);                                                                                               \
    CHECK_EQ(b, last_b);                                                                                               \
  } while (0)

static void loops(long last_a, long last_b) {
  LOOP(int, schedule(static));
  LOOP(int, schedule(static, 7));
  LOOP(int, schedule(dynamic, 3));
  LOOP(long, schedule(guided));
  LOOP(unsigned long long, schedule(dynamic));
  LOOP(unsigned long long, schedule(runtime));
  LOOP(int, ordered schedule(dynamic, 2));
}

/// In a function of their own the loops take the memory from the runtime, also without a barrier between them.
static long x, y, z;
__attribute__((noinline)) static void orphaned(int round) {
#pragma omp for schedule(dynamic, 5) lastprivate(conditional : y) nowait
  for (int i = 0; i < 100; i++)
    if (i % 9 == round) y = i;
#pragma omp for lastprivate(conditional : z) nowait
  for (int i = 0; i < 100; i++)
    if (i % 9 == round + 1) z = i;
#pragma omp for schedule(guided) lastprivate(conditional : x)
  for (int i = 0; i < 100; i++)
    if (i % 9 == round) x = i;
}

static void sections(int which) {
  long x = 50;
#pragma omp parallel sections lastprivate(conditional : x)
  {
#pragma omp section
    if (which & 1) x = 1;
#pragma omp section
    if (which & 2) x = 2;
#pragma omp section
    burn(100);
  }
  CHECK_EQ(x, which & 2 ? 2 : which & 1 ? 1 : 50);
}

int main(void) {
  for (int round = 0; round < 20; round++) {
    memset(assigns, 0, sizeof assigns);
    loops(-1, 100);
    assigns[0] = 1, assigns[999] = 2;
    loops(0, 999);
    assigns[999] = 0;
    for (int i = 0; i < 500; i++) assigns[i] = (char)(i % 5);
    loops(498, 498);
    assigns[700] = 1, assigns[650] = 3;
    loops(700, 650);
    for (int which = 0; which < 4; which++) sections(which);
    for (int i = 0; i < 8; i++) {
#pragma omp parallel
      orphaned(i);
      CHECK(x == 99 - (99 - i) % 9 && y == x && z == 99 - (98 - i) % 9);
    }
  }
  return 0;
}
