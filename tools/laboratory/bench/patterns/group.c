// Taskgroups: one wide and flat, and many nested ones.
#include "harness.h"

enum { kDepth = 16 };

static uint64_t each(uint64_t n) { return n; }

static bool run_flat(uint64_t n) {
#pragma omp taskgroup
  for (uint64_t i = 0; i < n; i++) {
#pragma omp task
    bench_count();
  }
  return bench_counted() == n;
}

// A task in each of `depth` groups, each group inside the one before.
static void nest(int depth) {
  if (depth == 0) return;
#pragma omp taskgroup
  {
#pragma omp task
    bench_count();
    nest(depth - 1);
  }
}

static bool run_nested(uint64_t n) {
  for (uint64_t i = 0; i < n / kDepth; i++) nest(kDepth);
  return bench_counted() == n / kDepth * kDepth;
}

static const bench_pattern patterns[] = {
    {"flat", kGenerator, 1 << 20, each, run_flat, 0},
    {"nested", kGenerator, 1 << 20, each, run_nested, 0},
};
BENCH_MAIN(patterns)
