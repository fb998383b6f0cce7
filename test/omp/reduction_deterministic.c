// With KMP_DETERMINISTIC_REDUCTION a sum of numbers that do not commute exactly has the same bits every time, at a
// fixed number of threads with a static schedule: in a parallel region, in a loop, in a loop with nowait.
// RUN: %clang-openmp %s -o %t && env KMP_DETERMINISTIC_REDUCTION=true %for-threads %t
#include "support/check.h"
#include <omp.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

enum { kNumbers = 5000, kTimes = SCALED(200) };
static double numbers[kNumbers];

static uint64_t bits(double value) {
  uint64_t result;
  memcpy(&result, &value, sizeof result);
  return result;
}

static void arrive_in_any_order(int time) {
  if ((time + omp_get_thread_num()) % 3 == 0) usleep(1);
}

int main(void) {
  for (int i = 0; i < kNumbers; i++) numbers[i] = (i % 2 ? -1.0 : 1.0) / (i + 1) * (i % 7 ? 1e-3 : 1e9);
  uint64_t first[3] = {0, 0, 0};
  for (int time = 0; time < kTimes; time++) {
    double region = 0, loop = 0, nowait = 0;
#pragma omp parallel reduction(+ : region)
    {
      arrive_in_any_order(time);
      for (int i = omp_get_thread_num(); i < kNumbers; i += omp_get_num_threads()) region += numbers[i];
    }
#pragma omp parallel
    {
      arrive_in_any_order(time);
#pragma omp for schedule(static) reduction(+ : loop)
      for (int i = 0; i < kNumbers; i++) loop += numbers[i];
#pragma omp for schedule(static, 3) reduction(+ : nowait) nowait
      for (int i = 0; i < kNumbers; i++) nowait += numbers[i];
    }
    const uint64_t now[3] = {bits(region), bits(loop), bits(nowait)};
    if (time == 0) memcpy(first, now, sizeof now);
    for (int k = 0; k < 3; k++) CHECK_EQ(now[k], first[k]);
  }
  return 0;
}
