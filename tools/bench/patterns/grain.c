// Efficiency against granularity: tasks of a given length, spawned in parallel, beside the same work in a plain
// parallel loop. Efficiency is the loop's time over the tasks' time, both the best of all repetitions of this process.
#include "harness.h"

#include <omp.h>

typedef struct {
  double loop_ns, task_ns; // best wall times
} times;

static uint64_t one(uint64_t n) {
  (void)n;
  return 1;
}

static void work(uint64_t steps) {
  bench_spin(steps);
  bench_count();
}

// Wall times of `tasks` pieces of work, in a region of its own; the clock runs between barriers.
static void measure(uint64_t tasks, uint64_t steps, times* best) {
#pragma omp parallel
  {
#pragma omp barrier
    const double start = bench_now_ns();
#pragma omp for schedule(static)
    for (uint64_t i = 0; i < tasks; i++) work(steps);
    const double middle = bench_now_ns();
#pragma omp for schedule(static) nowait
    for (uint64_t i = 0; i < tasks; i++) {
#pragma omp task
      work(steps);
    }
#pragma omp barrier
#pragma omp master
    {
      const double end = bench_now_ns();
      if (middle - start < best->loop_ns) best->loop_ns = middle - start;
      if (end - middle < best->task_ns) best->task_ns = end - middle;
    }
  }
}

static uint64_t tasks_for(double grain_ns, double total_ns) {
  const double tasks = total_ns * omp_get_max_threads() / grain_ns;
  return tasks < 64 ? 64 : (uint64_t)tasks;
}

// --size is the grain in nanoseconds; the figure is CPU time per task.
static bool run_fixed(uint64_t grain_ns) {
  static times best = {1e30, 1e30};
  const uint64_t tasks = tasks_for((double)grain_ns, 4e6);
  measure(tasks, bench_steps_for_ns((double)grain_ns), &best);
  bench_replace_ns(best.task_ns * omp_get_max_threads() / (double)tasks);
  bench_extra("efficiency", best.loop_ns / best.task_ns);
  return bench_counted() == 2 * tasks;
}

// The figure is the smallest grain of a 1-2-3-5-7 series, in nanoseconds, from which on 95 % are reached. --size:
// attempts per grain.
static bool run_smallest(uint64_t attempts) {
  static const double grains[] = {50,   70,   100,  150,  200, 300, 500, 700, 1000, 1500,
                                  2000, 3000, 5000, 7000, 1e4, 2e4, 5e4, 1e5, 2e5};
  bool ok = true;
  for (unsigned g = 0; g < sizeof(grains) / sizeof(grains[0]); g++) {
    const uint64_t tasks = tasks_for(grains[g], 2e6);
    times best = {1e30, 1e30};
    for (uint64_t i = 0; i < attempts; i++) {
      measure(tasks, bench_steps_for_ns(grains[g]), &best);
      ok = ok && bench_counted() == 2 * tasks;
    }
    bench_replace_ns(grains[g]);
    bench_extra("efficiency", best.loop_ns / best.task_ns);
    if (best.loop_ns >= 0.95 * best.task_ns) break;
  }
  return ok;
}

static const bench_pattern patterns[] = {
    {"fixed", kOutside, 1000, one, run_fixed, 0},
    {"smallest", kOutside, 5, one, run_smallest, 0},
};
BENCH_MAIN(patterns)
