// What each construct costs, in the way of the EPCC OpenMP microbenchmarks (Bull, Measuring Synchronisation and
// Scheduling Overheads in OpenMP, EWOMP 1999): a construct around a fixed delay, many times, less the same delays
// without the construct. Loops: kPerThread iterations for each thread; the figure is the overhead of a whole loop.
//
// EPCC has one thread do the delays alone, once. Here the team does them, each thread as many as in the construct,
// right before every repetition: two threads that share a core slow each other down, and must do so in both. Where
// threads exclude one another the delays follow one another, so there one thread does those of all while the others
// wait. The figure is the best time of the construct less the best time of the delays: both return to the same best,
// while differences of single repetitions are mostly noise.
#include "harness.h"

#include <omp.h>

enum { kPerThread = 128 };

static uint64_t each(uint64_t n) { return n; }

// ---- delays ---------------------------------------------------------------------------------------------------------

// A multiplication and an addition, each waiting for the one before: about a nanosecond.
#define STEP(x)                                                                                                        \
  x = x * 0x9E3779B97F4A7C15u + 1;                                                                                     \
  __asm__ volatile("" : "+r"(x));
#define STEPS_8(x) STEP(x) STEP(x) STEP(x) STEP(x) STEP(x) STEP(x) STEP(x) STEP(x)
#define STEPS_64(x) STEPS_8(x) STEPS_8(x) STEPS_8(x) STEPS_8(x) STEPS_8(x) STEPS_8(x) STEPS_8(x) STEPS_8(x)

// No branches, which may be foretold in one place and not in another. Each delay begins with the result of the one
// before: a processor that runs one into the next would make those without a construct the shorter ones.
#define DELAY(name, STEPS)                                                                                             \
  static void name(void) {                                                                                             \
    static _Thread_local uint64_t last;                                                                                \
    uint64_t x = last;                                                                                                 \
    STEPS(x)                                                                                                           \
    last = x;                                                                                                          \
    bench_count();                                                                                                     \
  }
DELAY(delay, STEPS_64)
DELAY(short_delay, STEPS_8) // of loops: 128 of them are subtracted from a few hundred nanoseconds

// ---- the clock ------------------------------------------------------------------------------------------------------

static double after_barrier_ns(void) {
#pragma omp barrier
  return bench_now_ns();
}

// Nanoseconds that a team spends in the code: from when all are there until all have done it, which the first
// thread to leave a barrier knows. It may be long before the others wake up.
#define TIME_TEAM(took, ...)                                                                                           \
  {                                                                                                                    \
    double begin = 1e30, end = 1e30;                                                                                   \
    _Pragma("omp parallel reduction(min : begin, end)") {                                                              \
      begin = after_barrier_ns();                                                                                      \
      __VA_ARGS__                                                                                                      \
      end = after_barrier_ns();                                                                                        \
    }                                                                                                                  \
    took(end - begin);                                                                                                 \
  }

// The delays without a construct: so many by each thread, or by one alone.
#define SUBTRACT(delay, times, alone)                                                                                  \
  {                                                                                                                    \
    TIME_TEAM(bench_subtract_ns,                                                                                       \
              if (omp_get_thread_num() == 0 || !(alone)) for (uint64_t i = 0; i < (times); i++) delay();)              \
    bench_counted(); /* no longer */                                                                                   \
  }
#define EACH_DELAYS SUBTRACT(delay, n, false)
#define ONE_DELAYS(times) SUBTRACT(delay, n*(times), true)
#define LOOP_DELAYS SUBTRACT(short_delay, n* kPerThread, false)
#define NO_DELAYS

// ---- constructs -----------------------------------------------------------------------------------------------------

static bool run_parallel(uint64_t n) {
  EACH_DELAYS
  bench_begin();
  for (uint64_t i = 0; i < n; i++) {
#pragma omp parallel
    delay();
  }
  bench_end();
  return bench_counted() == n * (uint64_t)omp_get_max_threads();
}

static bool run_reduction(uint64_t n) {
  uint64_t sum = 0;
  EACH_DELAYS
  bench_begin();
  for (uint64_t i = 0; i < n; i++) {
#pragma omp parallel reduction(+ : sum)
    {
      delay();
      sum++;
    }
  }
  bench_end();
  return sum == bench_counted() && sum == n * (uint64_t)omp_get_max_threads();
}

// Inside one region, every thread n times.
#define IN_REGION(name, subtract, expected, ...)                                                                       \
  static bool run_##name(uint64_t n) {                                                                                 \
    const uint64_t threads = (uint64_t)omp_get_max_threads();                                                          \
    (void)threads;                                                                                                     \
    uint64_t count = 0;                                                                                                \
    subtract TIME_TEAM(bench_took_ns, for (uint64_t i = 0; i < n; i++){__VA_ARGS__}) return count + bench_counted() == \
        (expected);                                                                                                    \
  }

static omp_lock_t lock;

IN_REGION(for, EACH_DELAYS, n* threads,
          _Pragma("omp for schedule(static)") for (uint64_t k = 0; k < threads; k++) delay();)
IN_REGION(barrier, EACH_DELAYS, n* threads, delay(); _Pragma("omp barrier"))
IN_REGION(single, ONE_DELAYS(1), n, _Pragma("omp single") delay();)
IN_REGION(
    critical, ONE_DELAYS(threads), 2 * n * threads, _Pragma("omp critical") {
      delay();
      count++;
    })
IN_REGION(lock, ONE_DELAYS(threads), 2 * n * threads, omp_set_lock(&lock); delay(); count++; omp_unset_lock(&lock);)
IN_REGION(
    ordered, ONE_DELAYS(threads), 2 * n * threads, _Pragma("omp for ordered") for (uint64_t k = 0; k < threads; k++) {
      _Pragma("omp ordered") {
        delay();
        count++;
}
})
IN_REGION(atomic, NO_DELAYS, n* threads, _Pragma("omp atomic") count++;)

#define LOOP(kind, chunk)                                                                                              \
  IN_REGION(kind##chunk, LOOP_DELAYS, n* threads* kPerThread,                                                          \
            _Pragma(SCHEDULE(kind, chunk)) for (uint64_t k = 0; k < threads * kPerThread; k++) short_delay();)
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

#define CONSTRUCT(name, run, size) {name, kOutside, size, each, run, 0}
#define ENTRY(kind, chunk) {#kind "." #chunk, kOutside, 100, each, run_##kind##chunk, 0},
static const bench_pattern patterns[] = {CONSTRUCT("parallel", run_parallel, 1000),
                                         CONSTRUCT("reduction", run_reduction, 1000),
                                         CONSTRUCT("for", run_for, 1000),
                                         CONSTRUCT("barrier", run_barrier, 1000),
                                         CONSTRUCT("single", run_single, 1000),
                                         CONSTRUCT("critical", run_critical, 10000),
                                         CONSTRUCT("lock", run_with_lock, 10000),
                                         CONSTRUCT("ordered", run_ordered, 1000),
                                         CONSTRUCT("atomic", run_atomic, 10000),
                                         EACH_CHUNK(ENTRY, static) EACH_CHUNK(ENTRY, dynamic)
                                             EACH_CHUNK(ENTRY, guided)};
BENCH_MAIN(patterns)
