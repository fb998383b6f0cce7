// Starts a pattern under oneTBB, in an arena of BENCH_THREADS slots. The figure of record is taken as under
// OpenMP: an arena of two whose other worker sits in one long task.
#include "harness.h"

#include <tbb/global_control.h>
#include <tbb/task_arena.h>
#include <tbb/task_group.h>

#include <atomic>
#include <cstdlib>

bool bench_alone() { return bench_record(); }

namespace {

int wanted_threads() {
  const char* text = std::getenv("BENCH_THREADS");
  return text != nullptr ? std::atoi(text) : tbb::this_task_arena::max_concurrency();
}

void measure_alone() {
  std::atomic<bool> sits{false}, measured{false};
  tbb::task_group other;
  other.run([&] {
    sits = true;
    while (!measured.load(std::memory_order_relaxed)) bench_pause();
  });
  while (!sits.load()) bench_pause();
  bench_measure();
  measured = true;
  other.wait();
}

} // namespace

void bench_launch(const bench_pattern*) {
  const int threads = wanted_threads();
  const tbb::global_control limit(tbb::global_control::max_allowed_parallelism, static_cast<std::size_t>(threads));
  tbb::task_arena arena(threads);
  arena.execute([&] {
    bench_set_threads(threads);
    if (bench_record() && threads > 1)
      measure_alone();
    else
      bench_measure();
  });
}
