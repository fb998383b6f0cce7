// Taskloops with one iteration per task and with the grain the runtime chooses, and reductions over tasks.
#include "harness.h"

static uint64_t each(uint64_t n) { return n; }

static bool run_one(uint64_t n) {
#pragma omp taskloop grainsize(1)
  for (uint64_t i = 0; i < n; i++) bench_count();
  return bench_counted() == n;
}

static bool run_default(uint64_t n) {
#pragma omp taskloop
  for (uint64_t i = 0; i < n; i++) bench_count();
  return bench_counted() == n;
}

static bool run_task_reduction(uint64_t n) {
  uint64_t sum = 0;
#pragma omp taskgroup task_reduction(+ : sum)
  for (uint64_t i = 0; i < n; i++) {
#pragma omp task in_reduction(+ : sum)
    sum += i;
  }
  return sum == n * (n - 1) / 2;
}

static bool run_loop_reduction(uint64_t n) {
  uint64_t sum = 0;
#pragma omp taskloop grainsize(1) reduction(+ : sum)
  for (uint64_t i = 0; i < n; i++) sum += i;
  return sum == n * (n - 1) / 2;
}

static const bench_pattern patterns[] = {
    {"one", kGenerator, 1 << 18, each, run_one, 0},
    {"default", kGenerator, 1 << 20, each, run_default, 0},
    {"task_reduction", kGenerator, 1 << 18, each, run_task_reduction, 0},
    {"loop_reduction", kGenerator, 1 << 18, each, run_loop_reduction, 0},
};
BENCH_MAIN(patterns)
