// The arguments of a task are copied when it is made, whatever their size and alignment; the creator changes its own
// afterwards. Undeferred and included tasks get them too.
// REQUIRES: gomp
// RUN: %gcc-openmp %s -o %t && %for-threads %t
#include "support/check.h"
#include <stdint.h>
#include <string.h>

typedef struct {
  char bytes[5];
} Odd;
typedef struct {
  _Alignas(64) int values[40];
} Aligned64;
typedef struct {
  _Alignas(4096) int values[3];
} AlignedPage;
typedef struct {
  int values[3000];
} Large;

static int done;

static void check_alignment(const void* address, uintptr_t alignment) { CHECK_EQ((uintptr_t)address % alignment, 0); }

static void make_tasks(int i, int deferred, int is_final) {
  char c = (char)i;
  short s = (short)(i * 3);
  int n = i * 5;
  long double x = i + 0.5L;
  Odd odd = {{c, 1, 2, 3, c}};
  Aligned64 a = {{i, i + 1}};
  AlignedPage p = {{i, i + 2}};
  static __thread Large large;
  for (int k = 0; k < 3000; k++) large.values[k] = i + k;
  Large copy = large;
#pragma omp task firstprivate(c) if (deferred) final(is_final)
  {
    CHECK_EQ(c, (char)i);
    ATOMIC_ADD(done, 1);
  }
#pragma omp task firstprivate(odd, c) if (deferred) final(is_final)
  {
    CHECK(odd.bytes[0] == c && odd.bytes[4] == c && odd.bytes[2] == 2);
    ATOMIC_ADD(done, 1);
  }
#pragma omp task firstprivate(c, s, n, x, odd) if (deferred) final(is_final)
  {
    CHECK(c == (char)i && s == (short)(i * 3) && n == i * 5 && x == i + 0.5L && odd.bytes[4] == c);
    ATOMIC_ADD(done, 1);
  }
#pragma omp task firstprivate(a, n) if (deferred) final(is_final)
  {
    check_alignment(&a, 64);
    CHECK(a.values[0] == i && a.values[1] == i + 1 && a.values[39] == 0 && n == i * 5);
    ATOMIC_ADD(done, 1);
  }
#pragma omp task firstprivate(p, c) if (deferred) final(is_final)
  {
    check_alignment(&p, 4096);
    CHECK(p.values[0] == i && p.values[1] == i + 2 && c == (char)i);
    ATOMIC_ADD(done, 1);
  }
#pragma omp task firstprivate(copy, x) if (deferred) final(is_final)
  {
    for (int k = 0; k < 3000; k++) CHECK_EQ(copy.values[k], i + k);
    CHECK(x == i + 0.5L);
    ATOMIC_ADD(done, 1);
  }
#pragma omp task if (deferred) final(is_final) // without arguments
  ATOMIC_ADD(done, 1);
  c = 99, s = 99, n = 99, x = 99;
  memset(&odd, 99, sizeof odd);
  memset(&a, 99, sizeof a);
  memset(&p, 99, sizeof p);
  memset(&copy, 99, sizeof copy);
}

int main(void) {
  enum { kRounds = SCALED(160) };
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < kRounds; i++) {
    make_tasks(i, 1, 0);
    make_tasks(i, 0, 0);
    make_tasks(i, 1, 1);
  }
  CHECK_EQ(done, 3 * 7 * kRounds);
  make_tasks(7, 1, 0); // outside of any region
  CHECK_EQ(done, 3 * 7 * kRounds + 7);
  return 0;
}
