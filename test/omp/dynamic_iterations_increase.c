// The iterations of a dynamic loop that one thread executes come in the loop's order, where that is asked for: by the
// modifier, by KMP_FORCE_MONOTONIC_DYNAMIC_SCHEDULE, or by schedule(runtime). Each is executed once, whatever the
// length of iterations, the stride and the type; a collapsed nest is one loop. The loops run often, so that the runtime
// knows them. (LLVM's runtime has this order there, GCC's has it always.)
// RUN: %clang-openmp %s -o %t && env KMP_FORCE_MONOTONIC_DYNAMIC_SCHEDULE=1 OMP_SCHEDULE=dynamic %for-threads %t
// RUN: %clang-openmp -DMODIFIER=monotonic: %s -o %t && env OMP_SCHEDULE=dynamic,3 %for-threads %t
// RUN: %if hwloc %{ env OMP_SCHEDULE=dynamic,3 HWLOC_SYNTHETIC="pack:3 l3:1 core:3 pu:1" %for-threads -t "7 9" %t %}
#include "support/check.h"
#include <omp.h>
#include <string.h>

#ifndef MODIFIER
#define MODIFIER
#endif
#define PRAGMA(text) _Pragma(#text)
#define PARALLEL_FOR(...) PRAGMA(omp parallel for __VA_ARGS__)

enum { kIterations = 2000, kRuns = 30, kMostThreads = 64 };
static struct {
  _Alignas(64) long last;
} threads[kMostThreads];
static unsigned char seen[kIterations];

/// Iteration number `index` is executed now. `kind`: all are short; all take some time; one in a hundred is long.
static void visit(long index, int kind) {
  long* last = &threads[omp_get_thread_num()].last;
  CHECK(index > *last);
  *last = index;
  CHECK_EQ(__atomic_fetch_add(&seen[index], 1, __ATOMIC_RELAXED), 0);
  if (kind == 1) burn(100);
  if (kind == 2 && index % 100 == 7) burn(10000);
}

static void begin(void) {
  for (int i = 0; i < kMostThreads; i++) threads[i].last = -1;
}

static void end(long iterations) {
  for (long i = 0; i < kIterations; i++) CHECK_EQ(seen[i], i < iterations);
  memset(seen, 0, sizeof seen);
}

#define UP(CLAUSE)                                                                                                     \
  begin();                                                                                                             \
  PARALLEL_FOR(CLAUSE) for (int i = 0; i < kIterations; i++) visit(i, kind);                                           \
  end(kIterations);

static void loops(int kind) {
  UP(schedule(MODIFIER dynamic))
  UP(schedule(MODIFIER dynamic, 7))
  UP(schedule(runtime))
  begin();
  PARALLEL_FOR(schedule(MODIFIER dynamic)) for (long i = 5999; i >= 0; i -= 3) visit((5999 - i) / 3, kind);
  end(2000);
  begin();
  PARALLEL_FOR(schedule(MODIFIER dynamic) collapse(2))
  for (int i = 0; i < 40; i++)
    for (int k = 0; k < 31; k++) visit(31 * i + k, kind);
  end(40 * 31);
  begin();
  const unsigned long long first = ~0ull - 6000;
  PARALLEL_FOR(schedule(MODIFIER dynamic, 2))
  for (unsigned long long i = first; i < ~0ull; i += 4) visit((long)((i - first) / 4), kind);
  end(1500);
}

int main(void) {
  for (int kind = 0; kind < 3; kind++)
    for (int run = 0; run < SCALED(kRuns); run++) loops(kind);
  return 0;
}
