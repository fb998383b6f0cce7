// Efficiency against granularity, for grain.c and grain_tbb.cpp: tasks of a given length, spawned in parallel, beside
// the same work in a plain parallel loop. Efficiency is the loop's time over the tasks' time, both the best of all
// repetitions of this process.
#pragma once

#include "harness.h"

typedef struct {
  double loop_ns, task_ns; // best wall times
} grain_times;

// One attempt: grain_work(steps) `tasks` times in a loop, then in tasks; improves `best`. Each program has its own.
static void grain_attempt(uint64_t tasks, uint64_t steps, grain_times* best);

static inline void grain_note(grain_times* best, double loop_ns, double task_ns) {
  if (loop_ns < best->loop_ns) best->loop_ns = loop_ns;
  if (task_ns < best->task_ns) best->task_ns = task_ns;
}

static inline void grain_work(uint64_t steps) {
  bench_spin(steps);
  bench_count();
}

static uint64_t grain_unit(uint64_t n) {
  (void)n;
  return 1;
}

static inline uint64_t tasks_for(double grain_ns, double total_ns) {
  const double tasks = total_ns * bench_threads() / grain_ns;
  return tasks < 64 ? 64 : (uint64_t)tasks;
}

// --size is the grain in nanoseconds; the figure is CPU time per task.
static bool run_fixed(uint64_t grain_ns) {
  enum { kAttempts = 5 };
  static grain_times best = {1e30, 1e30};
  const uint64_t tasks = tasks_for((double)grain_ns, 4e6);
  for (int i = 0; i < kAttempts; i++) grain_attempt(tasks, bench_steps_for_ns((double)grain_ns), &best);
  bench_replace_ns(best.task_ns * bench_threads() / (double)tasks);
  bench_extra("efficiency", best.loop_ns / best.task_ns);
  return bench_counted() == 2 * kAttempts * tasks;
}

// The figure is the smallest grain of a 1-2-3-5-7 series, in nanoseconds, that reaches 95 %. --size: attempts per
// grain.
static bool run_smallest(uint64_t attempts) {
  static const double grains[] = {50,   70,   100,  150,  200, 300, 500, 700, 1000, 1500,
                                  2000, 3000, 5000, 7000, 1e4, 2e4, 5e4, 1e5, 2e5};
  bool ok = true;
  for (unsigned g = 0; g < sizeof(grains) / sizeof(grains[0]); g++) {
    const uint64_t tasks = tasks_for(grains[g], 2e6);
    grain_times best = {1e30, 1e30};
    for (uint64_t i = 0; i < attempts; i++) {
      grain_attempt(tasks, bench_steps_for_ns(grains[g]), &best);
      ok = ok && bench_counted() == 2 * tasks;
    }
    bench_replace_ns(grains[g]);
    bench_extra("efficiency", best.loop_ns / best.task_ns);
    if (best.loop_ns >= 0.95 * best.task_ns) break;
  }
  return ok;
}
