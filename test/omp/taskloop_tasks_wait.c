// A task of a taskloop may wait for an earlier or a later one that another thread is free to execute: no thread keeps
// tasks that it has not begun, however short the tasks before were.
// RUN: %clang-openmp %s -o %t && %for-threads -t "2 3 8 33" %t
#include "support/check.h"
#include <omp.h>
#include <string.h>

enum { kTasks = 600, kRuns = 25 };
static int done[kTasks];

static int is_done(int i) { return __atomic_load_n(&done[i], __ATOMIC_ACQUIRE); }
static void finish(int i) { __atomic_store_n(&done[i], 1, __ATOMIC_RELEASE); }

/// Task `waits` waits for task `for_whom`.
static void loop(int waits, int for_whom) {
  memset(done, 0, sizeof done);
#pragma omp parallel
#pragma omp single
#pragma omp taskloop grainsize(1)
  for (int i = 0; i < kTasks; i++) {
    if (i == waits) SPIN_UNTIL(is_done(for_whom));
    finish(i);
  }
  for (int i = 0; i < kTasks; i++) CHECK(is_done(i));
}

int main(void) {
  for (int run = 0; run < SCALED(kRuns) + 1; run++) {
    int i = 1 + run * 37 % (kTasks - 2);
    loop(i, i - 1);
    loop(i, i + 1);
    loop(i, 0);
    loop(i, kTasks - 1);
  }
  return 0;
}
