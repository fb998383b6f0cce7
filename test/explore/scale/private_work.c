// Threads that share nothing: N of them do N times the work in the same time. tools/scale --check compares.
#include <omp.h>
#include <stdint.h>
#include <stdio.h>
#include <time.h>

enum { kBlocks = 2048, kSteps = 2000 };

static double now_s(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static uint64_t work(uint64_t seed) {
  for (int i = 0; i < kSteps; i++) seed = seed * 6364136223846793005u + (seed & 1 ? 1442695040888963407u : 1);
  return seed;
}

int main(void) {
  uint64_t sum = 0;
  double longest = 0;
#pragma omp parallel reduction(+ : sum) reduction(max : longest)
  {
    const double began = now_s();
#pragma omp for schedule(static) nowait
    for (int i = 0; i < kBlocks; i++) sum += work((uint64_t)i);
    longest = now_s() - began;
  }
  printf("Time Program = %.9f seconds\n", longest);
  return sum == 0;
}
