// Serial and parallel spawn of null tasks (SAND2012-10594, 3.2.1 and 3.2.2), and the memory a serial producer needs.
#include "harness.h"

#include <omp.h>

static uint64_t each(uint64_t n) { return n; }

static void spawn_serially(uint64_t n) {
  for (uint64_t i = 0; i < n; i++) {
#pragma omp task
    bench_count();
  }
#pragma omp taskwait
}

static bool run_serial(uint64_t n) {
  spawn_serially(n);
  return bench_counted() == n;
}

static void spawn_share(uint64_t n) {
#pragma omp for schedule(static) nowait
  for (uint64_t i = 0; i < n; i++) {
#pragma omp task
    bench_count();
  }
}

// Ends with the barrier of the loop; for the figure of record, where the other member never comes, with a taskwait: its
// half of the doubled loop runs after the clock has stopped. Then no thread but the producer itself can have run its
// tasks.
static bool run_parallel(uint64_t n) {
  if (bench_alone()) {
    const uint64_t before = bench_counted_here();
    spawn_share(n * (uint64_t)omp_get_num_threads());
#pragma omp taskwait
    return bench_counted_here() - before == n;
  }
  spawn_share(n);
#pragma omp barrier
  bool ok = true;
#pragma omp master
  ok = bench_counted() == n;
#pragma omp barrier
  return ok;
}

// The figure is the high-water mark of resident memory above that of the first repetition's start, in MB.
static bool run_memory(uint64_t n) {
  static uint64_t before = 0;
  if (before == 0) before = bench_resident_kb();
  spawn_serially(n);
  const uint64_t peak = bench_peak_kb();
  bench_replace_ns(peak > before ? (double)(peak - before) / 1024 : 0);
  return bench_counted() == n;
}

static const bench_pattern patterns[] = {
    {"serial", kGenerator, 1 << 20, each, run_serial, 0},
    {"parallel", kTeam, 1 << 20, each, run_parallel, 0},
    {"memory", kGenerator, 1 << 24, each, run_memory, 0},
};
BENCH_MAIN(patterns)
