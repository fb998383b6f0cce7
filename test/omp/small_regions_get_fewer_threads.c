// Where dyn-var lets the runtime choose, a call site whose regions are too small for their threads soon has regions of
// one thread. Regions of other call sites, those with dyn-var false and those that have work keep all their threads; so
// do these when the work comes back.
// RUN: %clang-openmp %s -o %t && %chomp-run env OMP_NUM_THREADS=4 CHOMP_THREAD_BUDGET=4 %t
// RUN: %if gomp %{ %gcc-openmp %s -o %t.gcc && %chomp-preload env OMP_NUM_THREADS=4 CHOMP_THREAD_BUDGET=4 %t.gcc %}
#include "support/check.h"
#include <omp.h>
#include <time.h>

static double now_s(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static int region(double seconds) {
  int threads = 0;
#pragma omp parallel
  {
    double end = seconds > 0 ? now_s() + seconds : 0;
    while (seconds > 0 && now_s() < end) {
    }
    if (omp_get_thread_num() == 0) threads = omp_get_num_threads();
  }
  return threads;
}

static int other_region(void) {
  int threads = 0;
#pragma omp parallel
  if (omp_get_thread_num() == 0) threads = omp_get_num_threads();
  return threads;
}

/// Of many small regions nearly all have one thread; others are when the runtime tries how long they take then. How
/// soon that is depends on the load of the machine: beside busy processes some hundred tries were seen.
static void expect_alone(void) {
  enum { kRegions = 200, kMostTries = 5000 };
  int alone = 0;
  for (int tries = 0; tries < kMostTries && alone < kRegions * 9 / 10; tries++) {
    alone = 0;
    for (int i = 0; i < kRegions; i++) alone += region(0) == 1;
  }
  CHECK(alone >= kRegions * 9 / 10);
}

static void expect_all_threads(void) {
  int tries = 0;
  while (region(0.002) != 4 && tries++ < 1000) {
  }
  for (int i = 0; i < 20; i++) CHECK_EQ(region(0.002), 4);
}

int main(void) {
  CHECK_EQ(other_region(), 4);
  expect_alone();
  CHECK_EQ(other_region(), 4);
  omp_set_dynamic(0);
  for (int i = 0; i < SCALED(1000); i++) CHECK_EQ(region(0), 4);
  omp_set_dynamic(1);
  expect_all_threads();
  expect_alone();
  return 0;
}
