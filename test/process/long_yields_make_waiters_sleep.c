// A thread that waits yields its CPU after a while. If others then keep it for long, as threads of the program do that
// spin themselves, no thread yields any more for a while, and all sleep instead, also in a team with more threads than
// CPUs, and whatever the user says about spinning. With KMP_USE_YIELD=0 none yields.
// RUN: %clang-openmp -I%root/abi -rdynamic %s -o %t && env -u KMP_BLOCKTIME %chomp-run %t sleep
// RUN: env -u KMP_BLOCKTIME %chomp-run %t crowd
// RUN: %chomp-run env KMP_BLOCKTIME=infinite %t sleep
// RUN: %chomp-run env -u KMP_BLOCKTIME KMP_USE_YIELD=0 %t never
#include "support/check.h"
#define CHOMP_WEAK
#include <chomp.h>
#include <omp.h>
#include <string.h>
#include <time.h>

enum { kRegions = 200 };
static const struct timespec kLate = {.tv_nsec = 1000000}, kKept = {.tv_nsec = 2000000};
static int yields;

// The library's yields come here: somebody else keeps the CPU.
int sched_yield(void) {
  ATOMIC_ADD(yields, 1);
  return clock_nanosleep(CLOCK_MONOTONIC, 0, &kKept, 0);
}

static uint64_t sleeps(void) {
  chomp_counters_t counters = {.size = sizeof counters};
  CHECK_EQ(chomp_read_total(&counters), 0);
  return counters.parks;
}

int main(int argc, char** argv) {
  CHECK(argc == 2);
  if (omp_get_num_procs() < 2) return 77; // a team of two shares the CPU, and yields for that
  int crowd = strcmp(argv[1], "crowd") == 0, threads = crowd ? 4 * omp_get_num_procs() : 2;
  uint64_t before = sleeps();
  double began = omp_get_wtime();
  for (int i = 0; i < kRegions; i++)
#pragma omp parallel num_threads(threads)
    if (omp_get_thread_num() == i % threads) clock_nanosleep(CLOCK_MONOTONIC, 0, &kLate, 0);
  double seconds = omp_get_wtime() - began;
  uint64_t slept = sleeps() - before;
  int yielded = ATOMIC_LOAD(yields);
  fprintf(stderr, "%.2f s: %d yields, %llu sleeps\n", seconds, yielded, (unsigned long long)slept);
  if (strcmp(argv[1], "never") == 0) {
    CHECK_EQ(yielded, 0);
    return 0;
  }
  CHECK(yielded > 0);
  CHECK(yielded <= threads * (5 + 20 * seconds)); // of each thread: after 50 ms, then 100, 200, unless it came late
  CHECK(slept >= kRegions / 2);
  return 0;
}
