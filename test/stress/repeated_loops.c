// A few short loops, met again and again as programs do: in regions of changing sizes, without barriers between them,
// with loops in order and sections among them; threads come late or give up their processor, and a loop whose
// iterations were short has long ones at times. Each iteration runs exactly once, and the one thread that learns that
// it has the last one gets it after all its others.
// RUN: %clang-openmp %s -o %t && %for-threads -t "1 2 3 8 33" %t
// RUN: %if hwloc %{ env HWLOC_SYNTHETIC="socket:4 core:2 pu:1" %for-threads -t "3 8" %t %}
#include "support/check.h"
#include "support/random.h"
#include <omp.h>
#include <string.h>

enum { kSites = 6, kMost = 100, kLoops = 20, kMonotonic = 1 << 29, kNonmonotonic = 1 << 30 };

extern void __kmpc_dispatch_init_4(void*, int, int, int, int, int, int);
extern int __kmpc_dispatch_next_4(void*, int, int*, int*, int*, int*);

static const int lengths[kSites] = {1, 2, 7, 33, 64, kMost};
static unsigned char runs[kLoops][kMost];
static int lasts[kLoops], section_runs[kLoops];
static uint64_t seed;

static uint64_t draw(uint64_t what, uint64_t number) { return random_hash(random_hash(seed + what) + number); }

static void run(uint64_t what, int l, int* length) {
  int in_order = draw(what, 1) % 8 == 0, n = *length = lengths[draw(what, 2) % kSites];
  uint64_t mine = draw(what, 100 + (uint64_t)omp_get_thread_num());
  if (mine % 16 == 0) sched_yield();
  if (mine % 16 == 1) burn(3000);
  int long_one = draw(what, 3) % 32 == 0 ? (int)(draw(what, 4) % (uint64_t)n) : -1;
  int low, high, step, last = 0, had_last = 0;
  __kmpc_dispatch_init_4(0, 0, 35 | (in_order ? kMonotonic : kNonmonotonic), 0, n - 1, 1, 1);
  while (__kmpc_dispatch_next_4(0, 0, &last, &low, &high, &step)) {
    CHECK(!had_last);
    CHECK(0 <= low && low <= high && high < n);
    had_last = high == n - 1;
    for (int i = low; i <= high; i++) {
      ATOMIC_ADD(runs[l][i], 1);
      if (i == long_one) burn(20000);
    }
  }
  CHECK_EQ(!!last, had_last);
  if (had_last) ATOMIC_ADD(lasts[l], 1);
}

static void run_sections(int l) {
#pragma omp sections nowait
  {
#pragma omp section
    ATOMIC_ADD(section_runs[l], 1);
#pragma omp section
    ATOMIC_ADD(section_runs[l], 100);
#pragma omp section
    ATOMIC_ADD(section_runs[l], 10000);
  }
}

int main(void) {
  seed = random_seed();
  int most = omp_get_max_threads();
  for (uint64_t round = 0; round < (uint64_t)(SCALED(1000) * stress_factor()); round++) {
    uint64_t what = round * 2 * kLoops;
    int threads = draw(what, 5) % 16 == 0 ? 1 + (int)(draw(what, 6) % (uint64_t)most) : most, length[kLoops];
    int count = (int)(draw(what, 7) % (kLoops + 1)), with_sections = draw(what, 8) % 4 == 0;
    memset(runs, 0, sizeof runs);
    memset(lasts, 0, sizeof lasts);
    memset(section_runs, 0, sizeof section_runs);
#pragma omp parallel num_threads(threads)
    for (int l = 0; l < count; l++) {
      int own_length;
      run(what + (uint64_t)l, l, &own_length);
      if (omp_get_thread_num() == 0) length[l] = own_length;
      if (with_sections) run_sections(l);
    }
    for (int l = 0; l < count; l++) {
      CHECK_EQ(lasts[l], 1);
      CHECK_EQ(section_runs[l], with_sections ? 10101 : 0);
      for (int i = 0; i < kMost; i++) CHECK_EQ(runs[l][i], i < length[l]);
    }
  }
  return 0;
}
