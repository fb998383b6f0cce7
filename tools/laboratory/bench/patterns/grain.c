// Granularity (grain_series.h) under OpenMP.
#include "grain_series.h"

// In a region of its own; the clock runs between barriers.
static void grain_attempt(uint64_t tasks, uint64_t steps, grain_times* best) {
#pragma omp parallel
  {
#pragma omp barrier
    const double start = bench_now_ns();
#pragma omp for schedule(static)
    for (uint64_t i = 0; i < tasks; i++) grain_work(steps);
    const double middle = bench_now_ns();
#pragma omp for schedule(static) nowait
    for (uint64_t i = 0; i < tasks; i++) {
#pragma omp task
      grain_work(steps);
    }
#pragma omp barrier
#pragma omp master
    grain_note(best, middle - start, bench_now_ns() - middle);
  }
}

static const bench_pattern patterns[] = {
    {"fixed", kOutside, 1000, grain_unit, run_fixed, 0},
    {"smallest", kOutside, 5, grain_unit, run_smallest, 0},
};
BENCH_MAIN(patterns)
