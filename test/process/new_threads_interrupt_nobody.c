// A thread that is made for a large team sleeps at most once before its first region, until that begins, and no CPU is
// interrupted for that sleep: one interruption a thread is what the sleep at the end of the region costs. (1.0 and
// less. When new threads slept twice, and interrupted all CPUs each time, they were 2 to 4.)
// UNSUPPORTED: sanitizer-address, sanitizer-thread
// RUN: %clang-openmp -rdynamic %s -o %t -ldl && %for-threads -t "200" %t
#include "support/check.h"
#include "support/system_calls.h"
#include <omp.h>

static int interruptions;

static void on_system_call(long number, const long* argument) {
  (void)argument;
  if (number == SYS_membarrier) ATOMIC_ADD(interruptions, 1);
}

int main(void) {
  omp_get_max_threads(); // the runtime starts
  int threads = 0;
  ATOMIC_STORE(interruptions, 0);
#pragma omp parallel
  ATOMIC_ADD(threads, 1);
  fprintf(stderr, "%d threads: %d interruptions\n", threads, ATOMIC_LOAD(interruptions));
  CHECK(2 * ATOMIC_LOAD(interruptions) <= 3 * threads);
  return 0;
}
