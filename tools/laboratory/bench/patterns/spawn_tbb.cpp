// oneTBB twin of spawn.c.
#include "harness.h"

#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>
#include <tbb/task_group.h>

namespace {

uint64_t each(uint64_t n) { return n; }

bool run_serial(uint64_t n) {
  tbb::task_group group;
  for (uint64_t i = 0; i < n; i++) group.run([] { bench_count(); });
  group.wait();
  return bench_counted() == n;
}

// As in SAND2012-10594: parallel_for is oneTBB's way to spawn in parallel, one task per iteration here as well.
bool run_parallel(uint64_t n) {
  tbb::parallel_for(
      tbb::blocked_range<uint64_t>(0, n, 1), [](const tbb::blocked_range<uint64_t>&) { bench_count(); },
      tbb::simple_partitioner());
  return bench_counted() == n;
}

const bench_pattern patterns[] = {
    {"serial", kGenerator, 1 << 20, each, run_serial, 0},
    {"parallel", kGenerator, 1 << 20, each, run_parallel, 0},
};

} // namespace
BENCH_MAIN(patterns)
