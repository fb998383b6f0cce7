// oneTBB twin of fib.c: task_group is its construct for such trees. oneTBB has no tied and untied tasks, and its group
// is both taskwait and taskgroup: all of them run the same two tasks.
#include "harness.h"

#include <tbb/task_group.h>

namespace {

uint64_t fib_value(uint64_t n) {
  uint64_t a = 0, b = 1;
  for (; n > 0; n--) {
    const uint64_t next = a + b;
    a = b;
    b = next;
  }
  return a;
}

uint64_t calls(uint64_t n) { return 2 * fib_value(n + 1) - 1; }
uint64_t tasks(uint64_t n) { return calls(n) - 1; }

uint64_t two_tasks(uint64_t n) {
  if (n < 2) return n;
  uint64_t a, b;
  tbb::task_group group;
  group.run([&a, n] { a = two_tasks(n - 1); });
  group.run([&b, n] { b = two_tasks(n - 2); });
  group.wait();
  return a + b;
}

uint64_t call_one(uint64_t n) {
  if (n < 2) return n;
  uint64_t a;
  tbb::task_group group;
  group.run([&a, n] { a = call_one(n - 1); });
  const uint64_t b = call_one(n - 2);
  group.wait();
  return a + b;
}

bool run_two(uint64_t n) { return two_tasks(n) == fib_value(n); }
bool run_call_one(uint64_t n) { return call_one(n) == fib_value(n); }

const bench_pattern patterns[] = {
    {"two_tasks", kGenerator, 27, tasks, run_two, 0},
    {"call_one", kGenerator, 30, calls, run_call_one, 0},
};

} // namespace
BENCH_MAIN(patterns)
