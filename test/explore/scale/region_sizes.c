// Regions of one call site with other amounts of work: `region_sizes ROUNDS COUNT:STEPS…`. A round is, for each pair,
// COUNT regions that divide STEPS among their threads. Prints the time of all rounds after the first quarter, in which
// a runtime may learn. To compare: tools/scale with one thread, with all, and with --env OMP_DYNAMIC=true.
#include "support/check.h"
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { kMostThreads = 1024 };

static double now_s(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static volatile struct {
  _Alignas(64) uint64_t value;
} result[kMostThreads];

__attribute__((noinline)) static void region(long steps) {
#pragma omp parallel
  {
    uint64_t seed = 1;
    long thread = omp_get_thread_num(), threads = omp_get_num_threads();
    long end = steps * (thread + 1) / threads;
    for (long i = steps * thread / threads; i < end; i++)
      seed = seed * 6364136223846793005u + (seed & 1 ? 1442695040888963407u : 1);
    result[thread].value = seed;
  }
}

int main(int argc, char** argv) {
  CHECK(argc >= 3);
  long rounds = atol(argv[1]);
  double began = now_s();
  for (long round = 0; round < rounds; round++) {
    if (round == rounds / 4) began = now_s();
    for (int pair = 2; pair < argc; pair++) {
      long count = 0, steps = 0;
      CHECK_EQ(sscanf(argv[pair], "%ld:%ld", &count, &steps), 2);
      for (long i = 0; i < count; i++) region(steps);
    }
  }
  printf("Time Program = %.9f seconds\n", now_s() - began);
  return 0;
}
