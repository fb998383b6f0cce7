// What a region and its synchronisation cost: fork-join of an empty region, barriers with and without work between
// them, single, and loops: a dynamic one of one iteration per chunk, the smallest static ones, ordered ones, and some
// in a region.
#include "harness.h"

#include <omp.h>

enum { kCheckedPhases = 64, kPhaseNs = 100000, kMaxThreads = 1024 };

static uint64_t each(uint64_t n) { return n; }

static bool run_fork_join(uint64_t n) {
  for (uint64_t i = 0; i < n; i++) {
#pragma omp parallel
    bench_count();
  }
  return bench_counted() == n * (uint64_t)omp_get_max_threads();
}

// No thread leaves a barrier before all threads have come.
static bool barriers_hold(void) {
  static struct {
    _Alignas(64) volatile int phase;
  } at[kMaxThreads];
  const int me = omp_get_thread_num(), threads = omp_get_num_threads();
  bool ok = true;
  for (int phase = 1; phase <= kCheckedPhases; phase++) {
    at[me].phase = phase;
#pragma omp barrier
    ok = ok && at[(me + 1) % threads].phase >= phase;
#pragma omp barrier
  }
  at[me].phase = 0;
#pragma omp barrier
  return ok;
}

static bool run_barrier(uint64_t n) {
  const bool ok = barriers_hold();
  for (uint64_t i = 0; i < n; i++) {
#pragma omp barrier
  }
  return ok;
}

// The figure is what a phase costs above its 100 µs of work, timed by the same thread.
static bool run_barrier_work(uint64_t n) {
  static double steps_shared, best = 1e30;
  const bool ok = barriers_hold();
#pragma omp master
  steps_shared = (double)bench_steps_for_ns(kPhaseNs);
#pragma omp barrier
  const uint64_t steps = (uint64_t)steps_shared;
  double working = 0;
  const double start = bench_now_ns();
  for (uint64_t i = 0; i < n; i++) {
    const double begin = bench_now_ns();
    bench_spin(steps);
    working += bench_now_ns() - begin;
#pragma omp barrier
  }
#pragma omp master
  {
    const double overhead = (bench_now_ns() - start - working) / (double)n;
    if (overhead < best) best = overhead;
    bench_replace_ns(best);
  }
  return ok;
}

static bool run_single(uint64_t n) {
  for (uint64_t i = 0; i < n; i++) {
#pragma omp single
    bench_count();
  }
  bool ok = true;
#pragma omp master
  ok = bench_counted() == n;
#pragma omp barrier
  return ok;
}

static bool run_sections(uint64_t n) {
  for (uint64_t i = 0; i < n; i++) {
#pragma omp sections
    {
      bench_count();
#pragma omp section
      bench_count();
    }
  }
  bool ok = true;
#pragma omp master
  ok = bench_counted() == 2 * n;
#pragma omp barrier
  return ok;
}

static bool run_dynamic(uint64_t n) {
#pragma omp for schedule(dynamic, 1)
  for (uint64_t i = 0; i < n; i++) bench_count();
  bool ok = true;
#pragma omp master
  ok = bench_counted() == n;
#pragma omp barrier
  return ok;
}

// The smallest loops that divide anything: an iteration for each thread.
static bool run_static(uint64_t n) {
  const int threads = omp_get_num_threads();
  for (uint64_t i = 0; i < n; i++) {
#pragma omp for schedule(static)
    for (int j = 0; j < threads; j++) bench_count();
  }
  bool ok = true;
#pragma omp master
  ok = bench_counted() == n * (uint64_t)threads;
#pragma omp barrier
  return ok;
}

static bool run_reduction(uint64_t n) {
  static uint64_t sum;
  const int threads = omp_get_num_threads();
#pragma omp single
  sum = 0;
  for (uint64_t i = 0; i < n; i++) {
#pragma omp for schedule(static) reduction(+ : sum)
    for (int j = 0; j < threads; j++) sum += 1;
  }
  return sum == n * (uint64_t)threads;
}

static bool run_collapse(uint64_t n) {
#pragma omp for collapse(2) schedule(dynamic, 1)
  for (uint64_t i = 0; i < n / 16; i++)
    for (int j = 0; j < 16; j++) bench_count();
  bool ok = true;
#pragma omp master
  ok = bench_counted() == n / 16 * 16;
#pragma omp barrier
  return ok;
}

static bool run_ordered(uint64_t n) {
  static uint64_t turn;
#pragma omp single
  turn = 0;
  bool ok = true;
#pragma omp for ordered schedule(static, 1)
  for (uint64_t i = 0; i < n; i++) {
#pragma omp ordered
    ok = turn++ == i && ok;
  }
  return ok && turn == n;
}

// The way of NPB's LU: planes in order, and in each a thread begins after the one before it.
static bool run_pipeline(uint64_t n) {
  static struct {
    _Alignas(64) uint64_t planes;
  } done[kMaxThreads];
  const int threads = omp_get_num_threads(), me = omp_get_thread_num();
  const int64_t planes = (int64_t)n;
  bool ok = true;
  done[me].planes = 0;
#pragma omp barrier
#pragma omp for collapse(2) ordered(2) schedule(static, 1)
  for (int64_t plane = 0; plane < planes; plane++)
    for (int thread = 0; thread < threads; thread++) {
#pragma omp ordered depend(sink : plane, thread - 1)
      if (thread > 0) ok = ok && done[thread - 1].planes > (uint64_t)plane;
      done[thread].planes++;
#pragma omp ordered depend(source)
    }
  return ok && done[me].planes == n;
}

// The way of NPB and LULESH: a region for a few loops over the same elements, one after the other without a barrier,
// then a sum.
static bool run_phases(uint64_t n) {
  enum { kElements = 1024 };
  static double a[kElements], b[kElements];
  double sum = 0;
  for (uint64_t i = 0; i < n; i++) {
    sum = 0;
#pragma omp parallel
    {
#pragma omp for schedule(static) nowait
      for (int j = 0; j < kElements; j++) a[j] = 1;
#pragma omp for schedule(static) nowait
      for (int j = 0; j < kElements; j++) b[j] = a[j] + 1;
#pragma omp for schedule(static) reduction(+ : sum)
      for (int j = 0; j < kElements; j++) sum += a[j] * b[j];
    }
  }
  return sum == 2 * kElements;
}

static const bench_pattern patterns[] = {
    {"fork_join", kOutside, 20000, each, run_fork_join, 0},  {"barrier", kTeam, 20000, each, run_barrier, 0},
    {"barrier_work", kTeam, 100, each, run_barrier_work, 0}, {"single", kTeam, 20000, each, run_single, 0},
    {"dynamic", kTeam, 1 << 18, each, run_dynamic, 0},       {"static", kTeam, 20000, each, run_static, 0},
    {"reduction", kTeam, 20000, each, run_reduction, 0},     {"collapse", kTeam, 1 << 18, each, run_collapse, 0},
    {"ordered", kTeam, 20000, each, run_ordered, 0},         {"phases", kOutside, 2000, each, run_phases, 0},
    {"sections", kTeam, 20000, each, run_sections, 0},       {"pipeline", kTeam, 20000, each, run_pipeline, 0},
};
BENCH_MAIN(patterns)
