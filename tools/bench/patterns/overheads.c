// What each construct costs, by the method of the EPCC OpenMP microbenchmarks (Bull, Measuring Synchronisation and
// Scheduling Overheads in OpenMP, EWOMP 1999): a construct around a fixed delay, many times, less the time that one
// thread needs for the same delays. Mutual exclusion lets the threads' delays follow one another, so there the delays
// of all threads are subtracted. Loops: kPerThread iterations for each thread; the figure is the overhead of a whole
// loop.
//
// The figure of one process is the least of its repetitions, and at least a nanosecond: the clock cannot tell less.
#include "harness.h"

#include <omp.h>

enum { kDelaySteps = 64, kPerThread = 128 };

static uint64_t each(uint64_t n) { return n; }

static void delay(void) { bench_spin(kDelaySteps); }

// Nanoseconds of one delay, as this machine does it just now.
static double delay_ns(void) {
  enum { kDelays = 1000 };
  double best = 1e30;
  for (int turn = 0; turn < 5; turn++) {
    const double start = bench_now_ns();
    for (int i = 0; i < kDelays; i++) delay();
    const double ns = (bench_now_ns() - start) / kDelays;
    if (ns < best) best = ns;
  }
  return best;
}

// `delays`: how many follow one another in each of the n turns.
static void note(double start_ns, uint64_t n, double delays) {
  static double best = 1e30;
  const double overhead = (bench_now_ns() - start_ns) / (double)n - delays * delay_ns();
  if (overhead < best) best = overhead;
  bench_replace_ns(best > 1 ? best : 1);
}

static bool run_parallel(uint64_t n) {
  const double start = bench_now_ns();
  for (uint64_t i = 0; i < n; i++) {
#pragma omp parallel
    {
      delay();
      bench_count();
    }
  }
  note(start, n, 1);
  return bench_counted() == n * (uint64_t)omp_get_max_threads();
}

static bool run_reduction(uint64_t n) {
  uint64_t sum = 0;
  const double start = bench_now_ns();
  for (uint64_t i = 0; i < n; i++) {
#pragma omp parallel reduction(+ : sum)
    {
      delay();
      sum++;
    }
  }
  note(start, n, 1);
  return sum == n * (uint64_t)omp_get_max_threads();
}

// Constructs inside one region, every thread n times.
#define IN_REGION(name, delays, expected, ...)                                                                         \
  static bool run_##name(uint64_t n) {                                                                                 \
    const uint64_t threads = (uint64_t)omp_get_max_threads();                                                          \
    (void)threads;                                                                                                     \
    uint64_t count = 0;                                                                                                \
    const double start = bench_now_ns();                                                                               \
    _Pragma("omp parallel") for (uint64_t i = 0; i < n; i++){__VA_ARGS__} note(start, n, (double)(delays));            \
    return count + bench_counted() == (expected);                                                                      \
  }

static omp_lock_t lock;

IN_REGION(for, 1, n* threads, _Pragma("omp for schedule(static)") for (uint64_t k = 0; k < threads; k++) {
  delay();
  bench_count();
})
IN_REGION(barrier, 1, 0, delay(); _Pragma("omp barrier"))
IN_REGION(
    single, 1, n, _Pragma("omp single") {
      delay();
      count++;
    })
IN_REGION(
    critical, threads, n* threads, _Pragma("omp critical") {
      delay();
      count++;
    })
IN_REGION(lock, threads, n* threads, omp_set_lock(&lock); delay(); count++; omp_unset_lock(&lock);)
IN_REGION(ordered, threads, n* threads, _Pragma("omp for ordered") for (uint64_t k = 0; k < threads; k++) {
  _Pragma("omp ordered") {
    delay();
    count++;
}
})
IN_REGION(atomic, 0, n* threads, _Pragma("omp atomic") count++;)

#define LOOP(kind, chunk)                                                                                              \
  IN_REGION(                                                                                                           \
      kind##chunk, kPerThread, n* threads* kPerThread,                                                                 \
      _Pragma(SCHEDULE(kind, chunk)) for (uint64_t k = 0; k < threads * kPerThread; k++) {                             \
        delay();                                                                                                       \
        bench_count();                                                                                                 \
      })
#define SCHEDULE(kind, chunk) TEXT(omp for schedule(kind, chunk))
#define TEXT(text) #text
#define EACH_CHUNK(M, kind) M(kind, 1) M(kind, 4) M(kind, 16) M(kind, 64) M(kind, 128)
EACH_CHUNK(LOOP, static)
EACH_CHUNK(LOOP, dynamic)
EACH_CHUNK(LOOP, guided)

static bool run_with_lock(uint64_t n) {
  omp_init_lock(&lock);
  const bool ok = run_lock(n);
  omp_destroy_lock(&lock);
  return ok;
}

#define ENTRY(kind, chunk) {#kind "." #chunk, kOutside, 200, each, run_##kind##chunk, 0},
static const bench_pattern patterns[] = {{"parallel", kOutside, 20000, each, run_parallel, 0},
                                         {"reduction", kOutside, 20000, each, run_reduction, 0},
                                         {"for", kOutside, 20000, each, run_for, 0},
                                         {"barrier", kOutside, 20000, each, run_barrier, 0},
                                         {"single", kOutside, 20000, each, run_single, 0},
                                         {"critical", kOutside, 20000, each, run_critical, 0},
                                         {"lock", kOutside, 20000, each, run_with_lock, 0},
                                         {"ordered", kOutside, 20000, each, run_ordered, 0},
                                         {"atomic", kOutside, 20000, each, run_atomic, 0},
                                         EACH_CHUNK(ENTRY, static) EACH_CHUNK(ENTRY, dynamic)
                                             EACH_CHUNK(ENTRY, guided)};
BENCH_MAIN(patterns)
