// What skynet.c and its oneTBB twin share: the answer, and all of main() but the versions.
#ifndef KERNELS_FORKJOIN_SKYNET_H
#define KERNELS_FORKJOIN_SKYNET_H

#include "common/benchmark.h"

#include <inttypes.h>

enum { CHILDREN = 10 };

static int64_t depth = 6;
static int64_t answer;

/// The number of leaves below a node of this height.
static int64_t leaves(int64_t height) { return height == 0 ? 1 : CHILDREN * leaves(height - 1); }

/// The sum of the numbers of the leaves from `first` on.
static int64_t skynet_serial(int64_t first, int64_t height) {
  if (height == 0) return first;
  const int64_t below = leaves(height - 1);
  int64_t sum = 0;
  for (int64_t child = 0; child < CHILDREN; child++) sum += skynet_serial(first + child * below, height - 1);
  return sum;
}

static void run_serial(void) { answer = skynet_serial(0, depth); }

/// Compares with n (n - 1) / 2.
static enum verification verify(void) {
  const int64_t n = leaves(depth);
  return answer == n * (n - 1) / 2 ? VERIFICATION_SUCCESSFUL : VERIFICATION_UNSUCCESSFUL;
}

static void report_answer(void) { report_text("Answer", "sum = %" PRId64, answer); }

static const struct benchmark_parameter parameters[] = {
    {'n', "depth of the tree, which has 10^n leaves", &depth, 0, 9},
    {0, NULL, NULL, 0, 0},
};

#define ABOUT                                                                                                          \
  .name = "forkjoin-skynet", .summary = "the sum over the leaves of a tree of tens", .parameters = parameters

#endif
