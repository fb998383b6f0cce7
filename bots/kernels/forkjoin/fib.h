// What fib.c and its oneTBB twin share: the answer, and all of main() but the versions.
#ifndef KERNELS_FORKJOIN_FIB_H
#define KERNELS_FORKJOIN_FIB_H

#include "common/benchmark.h"

#include <inttypes.h>

static int64_t number = 30;
static int64_t answer;

static int64_t fib_serial(int64_t n) { return n < 2 ? n : fib_serial(n - 1) + fib_serial(n - 2); }

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

static const struct benchmark_parameter parameters[] = {
    {'n', "which Fibonacci number", &number, 0, 90},
    {0, NULL, NULL, 0, 0},
};

#define ABOUT .name = "forkjoin-fib", .summary = "a Fibonacci number: one task and one call", .parameters = parameters

#endif
