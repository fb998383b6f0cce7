// A chain of nested tasks, tied or untied, each with a taskwait, needs memory in proportion to its depth, and most of
// it goes back to the system when the chain has ended: what remains is no more than tasks themselves take, which are
// used again by the next chain. No OMP_STACKSIZE, an 8 MB main stack; and with the smallest stacks no more mappings
// than a process may have. A million levels: CHOMP_STRESS=2.
// UNSUPPORTED: sanitizer-address, sanitizer-thread
// RUN: %clang-openmp %s -o %t
// RUN: sh -c 'ulimit -s 8192; exec "$@"' - %for-threads -t "1 2 8" %t 300000
// RUN: env OMP_STACKSIZE=64K %for-threads -t "1 2 8" %t 300000
// RUN: %clang-openmp -DTIEDNESS=untied %s -o %t.untied && %for-threads -t "1 2 8" %t.untied 300000
// RUN: %if long %{ sh -c 'ulimit -s 8192; exec "$@"' - %for-threads -t "1 2 8" %t 1000000 %}
// RUN: %if long %{ %for-threads -t "1 2 8" %t.untied 1000000 %}
// RUN: %if long %{ env OMP_STACKSIZE=64K %for-threads -t "1 2 8" %t 1000000 %}
#include "support/process.h"
#include <omp.h>

#ifndef TIEDNESS
#define TIEDNESS
#endif

static long resident; // at the bottom of the chain, KiB

static long nest(long depth) {
  if (depth == 0) return resident = process_status("VmRSS:"), 0;
  long below = -1;
  volatile char frame[500];
  frame[depth % 500] = (char)depth;
#pragma omp task TIEDNESS shared(below)
  below = nest(depth - 1);
#pragma omp taskwait
  CHECK_EQ(frame[depth % 500], (char)depth);
  return below + 1;
}

static long chain(long depth) {
  long reached = 0;
#pragma omp parallel
#pragma omp single
  reached = nest(depth);
  return reached;
}

int main(int argc, char** argv) {
  long depth = argc > 1 ? atol(argv[1]) : 1000;
  CHECK_EQ(chain(10), 10);
  long before = process_status("VmRSS:"), after = 0;
  for (int round = 0; round < 2; round++) {
    CHECK_EQ(chain(depth), depth);
    long peak = resident - before;
    CHECK(peak * 1024 < 1500 * depth + (16L << 20) * omp_get_max_threads()); // 800 bytes a level, and one segment each
    do after = process_status("VmRSS:") - before; // threads give back what they have when they go to sleep
    while (after > peak / 2);
  }
  return 0;
}
