// An iteration of schedule(dynamic) may wait for any earlier one, and for a later one that another thread is free to
// execute: no thread keeps iterations that it has not begun. As if they were handed out one by one: pairs of which the
// first waits for the second; groups of as many iterations as threads that all meet.
// Such loops run often, so that the runtime knows them, and lastprivate has the value of the last one.
// RUN: %clang-openmp %s -o %t && %for-threads -t "1 2 3 8 33" %t
// RUN: %clang-openmp -DMODIFIER=monotonic: %s -o %t && %for-threads -t "2 3 8 33" %t
// RUN: %if hwloc %{ env HWLOC_SYNTHETIC="pack:3 l3:1 core:3 pu:1" %for-threads -t "7 9" %t %}
// RUN: %clang-openmp -DMODIFIER=nonmonotonic: %s -o %t && %for-threads -t "2 3 8 33" %t
// RUN: %if hwloc %{ env HWLOC_SYNTHETIC="pack:3 l3:1 core:3 pu:1" %for-threads -t "7 9" %t %}
#include "support/check.h"
#include <omp.h>
#include <string.h>

#ifndef MODIFIER
#define MODIFIER
#endif
#define PRAGMA(text) _Pragma(#text)
#define PARALLEL_FOR(...) PRAGMA(omp parallel for __VA_ARGS__)

enum { kMost = 500, kRuns = 24 };
static int done[kMost];

static int is_done(int i) { return __atomic_load_n(&done[i], __ATOMIC_ACQUIRE); }
static void wait_for(int i) { SPIN_UNTIL(is_done(i)); }
static void finish(int i) { __atomic_store_n(&done[i], 1, __ATOMIC_RELEASE); }

/// A loop whose iterations begin with `wait`. `work`: how long they take.
#define LOOP(count, wait)                                                                                              \
  do {                                                                                                                 \
    int last = -1;                                                                                                     \
    memset(done, 0, sizeof done);                                                                                      \
    PARALLEL_FOR(schedule(MODIFIER dynamic, 1) lastprivate(last)) for (int i = 0; i < (count); i++) {                  \
      wait;                                                                                                            \
      burn(work);                                                                                                      \
      finish(last = i);                                                                                                \
    }                                                                                                                  \
    CHECK_EQ(last, (count) - 1);                                                                                       \
    for (int i = 0; i < (count); i++) CHECK(is_done(i));                                                               \
  } while (0)

static void loops(int threads, int work) {
  LOOP(kMost, if (i > 0) wait_for(i - 1));
  LOOP(kMost, if (i % 50 == 49) wait_for(i - 49));
  if (threads == 1) return;
  LOOP(kMost, if (i == kMost / 2) wait_for(kMost / 2 + 1));
  LOOP(kMost, if (i == 0) wait_for(1));
  LOOP(kMost, if (i == 3) wait_for(kMost - 1));
  LOOP(kMost, if (i % 2 == 0) wait_for(i + 1));
  LOOP(kMost, if (i % 10 == 5) wait_for(i + 1));
  int groups = threads < kMost / 8 ? 8 : 1;
  LOOP(groups * threads, finish(i); for (int k = i - i % threads, end = k + threads; k < end; k++) wait_for(k));
}

int main(void) {
  int threads = omp_get_max_threads();
  if (threads > kMost) threads = kMost;
  for (int run = 0; run < SCALED(kRuns) / (threads > 8 ? 4 : 1) + 1; run++) loops(threads, run % 3 * 100);
  return 0;
}
