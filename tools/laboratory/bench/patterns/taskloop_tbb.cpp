// oneTBB twin of taskloop.c: parallel_for and parallel_reduce, with a task for every iteration (simple_partitioner) or
// as oneTBB divides the range by default; and a reduction over the tasks of a group by enumerable_thread_specific.
#include "harness.h"

#include <tbb/blocked_range.h>
#include <tbb/enumerable_thread_specific.h>
#include <tbb/parallel_for.h>
#include <tbb/parallel_reduce.h>
#include <tbb/task_group.h>

#include <functional>

namespace {

using Range = tbb::blocked_range<uint64_t>;

uint64_t each(uint64_t n) { return n; }

constexpr auto count_range = [](const Range& range) {
  for (uint64_t i = range.begin(); i != range.end(); i++) bench_count();
};

bool run_one(uint64_t n) {
  tbb::parallel_for(Range(0, n, 1), count_range, tbb::simple_partitioner());
  return bench_counted() == n;
}

bool run_default(uint64_t n) {
  tbb::parallel_for(Range(0, n), count_range);
  return bench_counted() == n;
}

bool run_task_reduction(uint64_t n) {
  tbb::enumerable_thread_specific<uint64_t> sums(0);
  tbb::task_group group;
  for (uint64_t i = 0; i < n; i++) group.run([&sums, i] { sums.local() += i; });
  group.wait();
  return sums.combine(std::plus<>()) == n * (n - 1) / 2;
}

bool run_loop_reduction(uint64_t n) {
  const auto add_range = [](const Range& range, uint64_t sum) {
    for (uint64_t i = range.begin(); i != range.end(); i++) sum += i;
    return sum;
  };
  const uint64_t sum =
      tbb::parallel_reduce(Range(0, n, 1), uint64_t{0}, add_range, std::plus<>(), tbb::simple_partitioner());
  return sum == n * (n - 1) / 2;
}

const bench_pattern patterns[] = {
    {"one", kGenerator, 1 << 18, each, run_one, 0},
    {"default", kGenerator, 1 << 20, each, run_default, 0},
    {"task_reduction", kGenerator, 1 << 18, each, run_task_reduction, 0},
    {"loop_reduction", kGenerator, 1 << 18, each, run_loop_reduction, 0},
};

} // namespace
BENCH_MAIN(patterns)
