// The loops of loops_work.h under every schedule, each in its own parallel region, as programs have them. A pattern is
// named LOOP.SCHEDULE; `default` is a loop without the clause. One unit is an iteration.
#include "loops_work.h"

#include <omp.h>

#define PRAGMA(text) _Pragma(#text)
#define PARALLEL_FOR(clauses) PRAGMA(omp parallel for clauses)
#define REPEATEDLY for (uint64_t run = 0; loops_go_on(run, n); run++)

// The loops whose body stands alone.
#define PLAIN(loop, tag, clauses)                                                                                      \
  static bool loop##_##tag(uint64_t n) {                                                                               \
    loop##_prepare(n);                                                                                                 \
    REPEATEDLY PARALLEL_FOR(clauses) for (uint64_t i = 0; i < n; i++) loop##_body(i, n);                               \
    return loop##_check(n);                                                                                            \
  }

#define REDUCTION(loop, tag, clauses)                                                                                  \
  static bool loop##_##tag(uint64_t n) {                                                                               \
    bool ok = true;                                                                                                    \
    reduction_prepare(n);                                                                                              \
    REPEATEDLY {                                                                                                       \
      double sum = 0;                                                                                                  \
      PARALLEL_FOR(reduction(+ : sum) clauses) for (uint64_t i = 0; i < n; i++) sum += loops_numbers[i];               \
      ok = ok && reduction_right(sum, n);                                                                              \
    }                                                                                                                  \
    return ok;                                                                                                         \
  }

#define SCAN(loop, tag, clauses)                                                                                       \
  static bool loop##_##tag(uint64_t n) {                                                                               \
    scan_prepare(n);                                                                                                   \
    REPEATEDLY {                                                                                                       \
      PARALLEL_FOR(clauses) for (uint64_t i = 0; i < n; i++) scan_sum_body(i);                                         \
      scan_between(n);                                                                                                 \
      PARALLEL_FOR(clauses) for (uint64_t i = 0; i < n; i++) scan_write_body(i);                                       \
    }                                                                                                                  \
    return scan_check(n);                                                                                              \
  }

// The inner loop's team is of one thread, as in a library that is called from a parallel program.
#define NESTED(loop, tag, clauses)                                                                                     \
  static bool loop##_##tag(uint64_t n) {                                                                               \
    nested_prepare(n);                                                                                                 \
    REPEATEDLY PARALLEL_FOR(clauses) for (uint64_t i = 0; i < n; i++) {                                                \
      PARALLEL_FOR(clauses) for (uint64_t k = 0; k < kInner; k++) nested_inner_body(i, k, n);                          \
    }                                                                                                                  \
    return nested_check(n);                                                                                            \
  }

#define EACH_SCHEDULE(M, loop)                                                                                         \
  M(loop, default, )                                                                                                   \
  M(loop, static, schedule(static))                                                                                    \
  M(loop, dynamic, schedule(dynamic))                                                                                  \
  M(loop, dynamic64, schedule(dynamic, 64))                                                                            \
  M(loop, guided, schedule(guided))                                                                                    \
  M(loop, auto, schedule(auto))

#define EACH_LOOP(M)                                                                                                   \
  M(PLAIN, minimal)                                                                                                    \
  M(PLAIN, conformance)                                                                                                \
  M(REDUCTION, reduction)                                                                                              \
  M(SCAN, scan)                                                                                                        \
  M(PLAIN, spmv)                                                                                                       \
  M(PLAIN, spmv_unbalanced)                                                                                            \
  M(PLAIN, axpy)                                                                                                       \
  M(PLAIN, triangular)                                                                                                 \
  M(PLAIN, random)                                                                                                     \
  M(PLAIN, first_heavy)                                                                                                \
  M(PLAIN, last_heavy)                                                                                                 \
  M(NESTED, nested)                                                                                                    \
  M(PLAIN, sweep)

#define DEFINE(kind, loop) EACH_SCHEDULE(kind, loop)
EACH_LOOP(DEFINE)

#define ENTRY(loop, tag, clauses) {#loop "." #tag, kOutside, 4096, loops_units, loop##_##tag, 1000},
#define ENTRIES(kind, loop) EACH_SCHEDULE(ENTRY, loop)
static const bench_pattern patterns[] = {EACH_LOOP(ENTRIES)};
BENCH_MAIN(patterns)
