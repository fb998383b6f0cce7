// One thread works for long, and only then writes to a line. On paper: another one that reads that line at the
// beginning waits for no more than a transfer. It has to, if the machine lets the first thread finish before the other
// begins, and believes that the line was on its way all the time. tools/scale --check compares.
#include <omp.h>
#include <stdint.h>
#include <stdio.h>
#include <time.h>

enum { kSteps = 100000 };

static _Alignas(64) volatile uint64_t shared[8];

static double now_s(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static uint64_t work(uint64_t seed, int steps) {
  for (int i = 0; i < steps; i++) seed = seed * 6364136223846793005u + (seed & 1 ? 1442695040888963407u : 1);
  return seed;
}

int main(void) {
  uint64_t sum = 0;
  double waited = 0;
#pragma omp parallel num_threads(2) reduction(+ : sum) reduction(max : waited)
  {
    const int me = omp_get_thread_num();
    if (me == 1) shared[0] = 1;
#pragma omp barrier
    sum += work((uint64_t)me, me == 0 ? kSteps : kSteps / 10);
    if (me == 0) {
      shared[0] = sum;
    } else {
      const double began = now_s();
      sum += shared[0];
      waited = now_s() - began;
    }
  }
  printf("Time Program = %.9f seconds\n", waited);
  return sum == 0;
}
