// oneTBB twin of loops.c: parallel_for and parallel_reduce with each of its partitioners. A pattern is named
// LOOP.PARTITIONER. The affinity partitioner remembers where iterations ran from one run of a loop to the next, so each
// loop keeps one.
#include "loops_work.h"

#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>
#include <tbb/parallel_reduce.h>

#include <functional>

namespace {

using Range = tbb::blocked_range<uint64_t>;

template <typename Partitioner, typename Body> void parallel(uint64_t n, Partitioner& partitioner, Body body) {
  tbb::parallel_for(
      Range(0, n),
      [&](const Range& range) {
        for (uint64_t i = range.begin(); i != range.end(); i++) body(i);
      },
      partitioner);
}

template <typename Partitioner, typename Loop> void repeatedly(uint64_t n, Loop loop) {
  static Partitioner partitioner;
  for (uint64_t run = 0; loops_go_on(run, n); run++) loop(partitioner);
}

#define PLAIN(loop)                                                                                                    \
  template <typename Partitioner> bool loop##_run(uint64_t n) {                                                        \
    loop##_prepare(n);                                                                                                 \
    repeatedly<Partitioner>(n, [n](auto& p) { parallel(n, p, [n](uint64_t i) { loop##_body(i, n); }); });              \
    return loop##_check(n);                                                                                            \
  }
PLAIN(minimal)
PLAIN(conformance)
PLAIN(spmv)
PLAIN(spmv_unbalanced)
PLAIN(axpy)
PLAIN(triangular)
PLAIN(random)
PLAIN(first_heavy)
PLAIN(last_heavy)
PLAIN(sweep)

template <typename Partitioner> bool reduction_run(uint64_t n) {
  bool ok = true;
  reduction_prepare(n);
  repeatedly<Partitioner>(n, [&](auto& partitioner) {
    const auto add_range = [](const Range& range, double sum) {
      for (uint64_t i = range.begin(); i != range.end(); i++) sum += loops_numbers[i];
      return sum;
    };
    ok = ok && reduction_right(tbb::parallel_reduce(Range(0, n), 0.0, add_range, std::plus<>(), partitioner), n);
  });
  return ok;
}

template <typename Partitioner> bool scan_run(uint64_t n) {
  scan_prepare(n);
  repeatedly<Partitioner>(n, [n](auto& partitioner) {
    parallel(n, partitioner, scan_sum_body);
    scan_between(n);
    parallel(n, partitioner, scan_write_body);
  });
  return scan_check(n);
}

template <typename Partitioner> bool nested_run(uint64_t n) {
  nested_prepare(n);
  repeatedly<Partitioner>(n, [n](auto& partitioner) {
    parallel(n, partitioner, [n](uint64_t i) {
      Partitioner inner;
      parallel(kInner, inner, [i, n](uint64_t k) { nested_inner_body(i, k, n); });
    });
  });
  return nested_check(n);
}

#define ENTRIES(loop)                                                                                                  \
  {#loop ".auto", kOutside, 4096, loops_units, loop##_run<tbb::auto_partitioner>, 1000},                               \
      {#loop ".static", kOutside, 4096, loops_units, loop##_run<tbb::static_partitioner>, 1000},                       \
      {#loop ".affinity", kOutside, 4096, loops_units, loop##_run<tbb::affinity_partitioner>, 1000}

const bench_pattern patterns[] = {
    ENTRIES(minimal),         ENTRIES(conformance), ENTRIES(reduction),  ENTRIES(scan),   ENTRIES(spmv),
    ENTRIES(spmv_unbalanced), ENTRIES(axpy),        ENTRIES(triangular), ENTRIES(random), ENTRIES(first_heavy),
    ENTRIES(last_heavy),      ENTRIES(nested),      ENTRIES(sweep),
};

} // namespace
BENCH_MAIN(patterns)
