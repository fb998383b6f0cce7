// Granularity (grain_series.h) under oneTBB: the tasks are the single iterations of a parallel_for, which is how oneTBB
// spawns in parallel; the plain loop is divided evenly.
#include "grain_series.h"

#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>

namespace {

using Range = tbb::blocked_range<uint64_t>;

const bench_pattern patterns[] = {
    {"fixed", kGenerator, 1000, grain_unit, run_fixed, 0},
    {"smallest", kGenerator, 5, grain_unit, run_smallest, 0},
};

} // namespace

static void grain_attempt(uint64_t tasks, uint64_t steps, grain_times* best) {
  const auto run_range = [steps](const Range& range) {
    for (uint64_t i = range.begin(); i != range.end(); i++) grain_work(steps);
  };
  const double start = bench_now_ns();
  tbb::parallel_for(Range(0, tasks), run_range, tbb::static_partitioner());
  const double middle = bench_now_ns();
  tbb::parallel_for(Range(0, tasks, 1), run_range, tbb::simple_partitioner());
  grain_note(best, middle - start, bench_now_ns() - middle);
}
BENCH_MAIN(patterns)
