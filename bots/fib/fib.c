// bots-fib: the n-th Fibonacci number by its doubly recursive definition, two tasks a call. There is almost no work in
// a task, so the time shows what a task costs. ../README.md has the publications; the tasks themselves are in
// fib_tasks.h. Invariant: a call writes only its own return value, a task only the variable of the call that waits for
// it.
#include "common/benchmark.h"

#include <inttypes.h>

static int64_t number = 30;
static int64_t cutoff = 10;
static int64_t answer;

static int64_t fib_serial(int64_t n) { return n < 2 ? n : fib_serial(n - 1) + fib_serial(n - 2); }

#define TASKS_TIED
#include "common/tiedness.h"
#include "fib_tasks.h"
#define TASKS_UNTIED
#include "common/tiedness.h"
#include "fib_tasks.h"

static void run_serial(void) { answer = fib_serial(number); }

/// Compares with the recurrence computed in n additions.
static enum verification verify(void) {
  int64_t current = 0, next = 1;
  for (int64_t i = 0; i < number; i++) {
    const int64_t sum = current + next;
    current = next;
    next = sum;
  }
  return answer == current ? VERIFICATION_SUCCESSFUL : VERIFICATION_UNSUCCESSFUL;
}

static void report_answer(void) { report_text("Answer", "fib(%" PRId64 ") = %" PRId64, number, answer); }

int main(int argc, char** argv) {
  static const struct benchmark_parameter parameters[] = {
      {'n', "which Fibonacci number", &number, 0, 90},
      {'x', "depth from which no tasks are made, for -if, -final, -manual", &cutoff, 0, 90},
      {0, NULL, NULL, 0, 0},
  };
  static const struct benchmark_version versions[] = {
      {"serial", run_serial},
      VERSIONS_BY_CUTOFF,
      {NULL, NULL},
  };
  static const struct benchmark benchmark = {
      .name = "bots-fib",
      .summary = "the n-th Fibonacci number by double recursion, two tasks a call",
      .parameters = parameters,
      .versions = versions,
      .default_version = "untied",
      .verify = verify,
      .report_answer = report_answer,
  };
  return benchmark_main(&benchmark, argc, argv);
}
