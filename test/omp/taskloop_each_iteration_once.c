// taskloop runs each iteration exactly once: every way to cut it, collapsed, nested, counting down, with nogroup,
// untied, if(0), final; and makes the number of tasks
// asked for. (Not strict: Clang 19 drops the modifier.)
// RUN: %clang-openmp %s -o %t && %for-threads %t
#include "support/check.h"
#include <string.h>

enum { kMost = 4096 };
static unsigned char runs[kMost];

static void all_once(int n) {
  for (int i = 0; i < kMost; i++) CHECK_EQ(runs[i], i < n);
  memset(runs, 0, sizeof runs);
}

static void of_length(int n) {
#pragma omp taskloop
  for (int i = 0; i < n; i++) runs[i]++;
  all_once(n);
#pragma omp taskloop grainsize(17)
  for (int i = n; i > 0; i--) runs[i - 1]++;
  all_once(n);
#pragma omp taskloop num_tasks(7) untied
  for (long long i = 0; i < 3LL * n; i += 3) runs[i / 3]++;
  all_once(n);
#pragma omp taskloop num_tasks(100000)
  for (unsigned i = 4000000000u; i < 4000000000u + n; i++) runs[i - 4000000000u]++;
  all_once(n);
#pragma omp taskloop grainsize(100000)
  for (unsigned long long i = -1ull; i > -1ull - n; i--) runs[-1ull - i]++;
  all_once(n);
#pragma omp taskloop if (0)
  for (int i = 0; i < n; i++) runs[i]++;
  all_once(n);
#pragma omp taskloop final(1) mergeable priority(3)
  for (int i = 0; i < n; i++) runs[i]++;
  all_once(n);
#pragma omp taskgroup
  {
#pragma omp taskloop nogroup num_tasks(5)
    for (int i = 0; i < n; i++) runs[i]++;
  }
  all_once(n);
#pragma omp taskloop nogroup grainsize(3)
  for (int i = 0; i < n; i++) runs[i]++;
#pragma omp taskwait
  all_once(n);
}

static void cut_as_asked(void) {
  const int lengths[] = {1, 6, 7, 8, 1000};
  for (int k = 0; k < 5; k++) {
    int n = lengths[k], pieces = 0;
    // Consecutive iterations of one task see each other's firstprivate copy.
    int before = -2;
#pragma omp taskloop num_tasks(7) firstprivate(before) shared(pieces)
    for (int i = 0; i < n; i++) {
      if (before != i - 1 || i == 0) ATOMIC_ADD(pieces, 1);
      before = i;
    }
    CHECK_EQ(pieces, n < 7 ? n : 7);
    // grainsize(g): each task has at least min(g, n) and fewer than 2 g iterations.
    pieces = 0;
#pragma omp taskloop grainsize(6) firstprivate(before) shared(pieces)
    for (int i = 0; i < n; i++) {
      if (before != i - 1 || i == 0) ATOMIC_ADD(pieces, 1);
      before = i;
    }
    CHECK(pieces <= (n < 6 ? 1 : n / 6) && pieces > n / 12);
  }
}

int main(void) {
#pragma omp parallel
#pragma omp single
  {
    const int lengths[] = {0, 1, 2, 16, 17, 18, 1000, kMost};
    for (unsigned k = 0; k < sizeof lengths / sizeof *lengths; k++) of_length(lengths[k]);
#pragma omp taskloop collapse(2) grainsize(5)
    for (int i = 0; i < 50; i++)
      for (int j = 60; j > 0; j -= 2) runs[i * 30 + j / 2 - 1]++;
    all_once(1500);
#pragma omp taskloop num_tasks(10)
    for (int i = 0; i < 60; i++)
#pragma omp taskloop grainsize(4) firstprivate(i)
      for (int j = 0; j < 60; j++) runs[i * 60 + j]++;
    all_once(3600);
    cut_as_asked();
  }
#pragma omp parallel master taskloop simd
  for (int i = 0; i < 1000; i++) runs[i]++;
  all_once(1000);
#pragma omp taskloop // outside any region
  for (int i = 0; i < 1000; i++) runs[i]++;
  all_once(1000);
  return 0;
}
