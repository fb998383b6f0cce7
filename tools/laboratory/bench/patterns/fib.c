// Fibonacci in the ways people write it: the tree of SAND2012-10594 and BOTS, two tasks a call, without a cut-off
// unless named.
#include "harness.h"

#include <omp.h>

static uint64_t fib_serial(uint64_t n) { return n < 2 ? n : fib_serial(n - 1) + fib_serial(n - 2); }

static uint64_t fib_value(uint64_t n) {
  uint64_t a = 0, b = 1;
  for (uint64_t i = 0; i < n; i++) {
    const uint64_t next = a + b;
    a = b;
    b = next;
  }
  return a;
}

// Calls of fib(n): 2·fib(n+1) − 1. With two tasks a call, all but the first are tasks.
static uint64_t calls(uint64_t n) { return 2 * fib_value(n + 1) - 1; }
static uint64_t tasks(uint64_t n) { return calls(n) - 1; }

static uint64_t untied(uint64_t n) {
  if (n < 2) return n;
  uint64_t a, b;
#pragma omp task untied shared(a)
  a = untied(n - 1);
#pragma omp task untied shared(b)
  b = untied(n - 2);
#pragma omp taskwait
  return a + b;
}

static uint64_t tied(uint64_t n) {
  if (n < 2) return n;
  uint64_t a, b;
#pragma omp task shared(a)
  a = tied(n - 1);
#pragma omp task shared(b)
  b = tied(n - 2);
#pragma omp taskwait
  return a + b;
}

// Fork one, call the other: how fork-join libraries are measured. A unit is a call.
static uint64_t call_one(uint64_t n) {
  if (n < 2) return n;
  uint64_t a;
#pragma omp task shared(a)
  a = call_one(n - 1);
  const uint64_t b = call_one(n - 2);
#pragma omp taskwait
  return a + b;
}

static uint64_t taskgroup(uint64_t n) {
  if (n < 2) return n;
  uint64_t a, b;
#pragma omp taskgroup
  {
#pragma omp task shared(a)
    a = taskgroup(n - 1);
#pragma omp task shared(b)
    b = taskgroup(n - 2);
  }
  return a + b;
}

static uint64_t taskgroup_untied(uint64_t n) {
  if (n < 2) return n;
  uint64_t a, b;
#pragma omp taskgroup
  {
#pragma omp task untied shared(a)
    a = taskgroup_untied(n - 1);
#pragma omp task untied shared(b)
    b = taskgroup_untied(n - 2);
  }
  return a + b;
}

// Every task undeferred: what a cut-off by `if` costs below it.
static uint64_t if_zero(uint64_t n) {
  if (n < 2) return n;
  uint64_t a, b;
#pragma omp task shared(a) if (0)
  a = if_zero(n - 1);
#pragma omp task shared(b) if (0)
  b = if_zero(n - 2);
#pragma omp taskwait
  return a + b;
}

static uint64_t if_cutoff(uint64_t n, uint64_t depth) {
  if (n < 2) return n;
  uint64_t a, b;
#pragma omp task untied shared(a) if (depth < bench_arg())
  a = if_cutoff(n - 1, depth + 1);
#pragma omp task untied shared(b) if (depth < bench_arg())
  b = if_cutoff(n - 2, depth + 1);
#pragma omp taskwait
  return a + b;
}

// As BOTS does it: tasks below the cut-off are final, and everything inside a final task is included.
static uint64_t final_cutoff(uint64_t n, uint64_t depth) {
  if (n < 2) return n;
  uint64_t a, b;
#pragma omp task untied shared(a) final(depth >= bench_arg()) mergeable
  a = final_cutoff(n - 1, depth + 1);
#pragma omp task untied shared(b) final(depth >= bench_arg()) mergeable
  b = final_cutoff(n - 2, depth + 1);
#pragma omp taskwait
  return a + b;
}

static bool run_serial(uint64_t n) { return fib_serial(n) == fib_value(n); }
static bool run_untied(uint64_t n) { return untied(n) == fib_value(n); }
static bool run_tied(uint64_t n) { return tied(n) == fib_value(n); }
static bool run_call_one(uint64_t n) { return call_one(n) == fib_value(n); }
static bool run_taskgroup(uint64_t n) { return taskgroup(n) == fib_value(n); }
static bool run_taskgroup_untied(uint64_t n) { return taskgroup_untied(n) == fib_value(n); }
static bool run_if_zero(uint64_t n) { return if_zero(n) == fib_value(n); }
static bool run_if(uint64_t n) { return if_cutoff(n, 0) == fib_value(n); }
static bool run_final(uint64_t n) { return final_cutoff(n, 0) == fib_value(n); }

static const bench_pattern patterns[] = {
    {"serial", kOutside, 27, calls, run_serial, 0},
    {"untied", kGenerator, 27, tasks, run_untied, 0},
    {"tied", kGenerator, 27, tasks, run_tied, 0},
    {"call_one", kGenerator, 30, calls, run_call_one, 0},
    {"taskgroup", kGenerator, 27, tasks, run_taskgroup, 0},
    {"taskgroup_untied", kGenerator, 27, tasks, run_taskgroup_untied, 0},
    {"if_zero", kGenerator, 27, tasks, run_if_zero, 0},
    {"if", kGenerator, 27, tasks, run_if, 10},
    {"final", kGenerator, 27, tasks, run_final, 10},
};
BENCH_MAIN(patterns)
