// oneTBB twin of group.c, with task_group.
#include "harness.h"

#include <tbb/task_group.h>

namespace {

enum { kDepth = 16 };

uint64_t each(uint64_t n) { return n; }

bool run_flat(uint64_t n) {
  tbb::task_group group;
  for (uint64_t i = 0; i < n; i++) group.run([] { bench_count(); });
  group.wait();
  return bench_counted() == n;
}

void nest(int depth) {
  if (depth == 0) return;
  tbb::task_group group;
  group.run([] { bench_count(); });
  nest(depth - 1);
  group.wait();
}

bool run_nested(uint64_t n) {
  for (uint64_t i = 0; i < n / kDepth; i++) nest(kDepth);
  return bench_counted() == n / kDepth * kDepth;
}

const bench_pattern patterns[] = {
    {"flat", kGenerator, 1 << 20, each, run_flat, 0},
    {"nested", kGenerator, 1 << 20, each, run_nested, 0},
};

} // namespace
BENCH_MAIN(patterns)
