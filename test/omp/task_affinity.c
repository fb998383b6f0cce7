// Tasks with an affinity clause run once each, wherever their data was used last: plain, nested, with dependences and
// with iterators; also in a team over several domains, where the hint is taken.
// RUN: %clang-openmp %s -o %t && %for-threads %t
// RUN: %if hwloc %{ env HWLOC_SYNTHETIC="pack:2 core:2 pu:1" %for-threads -t 4 %t %}
// RUN: %if hwloc %{ env HWLOC_SYNTHETIC="pack:4 core:1 pu:1" %for-threads -t 8 %t %}
// RUN: %if hwloc %{ env CHOMP_SCHEDULER=steal HWLOC_SYNTHETIC="pack:2 core:4 pu:1" %for-threads -t 8 %t %}
#include "support/check.h"

enum { kBlocks = 16, kWords = 512 };
static long blocks[kBlocks][kWords];

static void add_one(long* block) {
  for (int i = 0; i < kWords; i++) block[i]++;
}

int main(void) {
  const int rounds = SCALED(200);
#pragma omp parallel
#pragma omp single
  {
    for (int round = 0; round < rounds; round++) {
      for (int b = 0; b < kBlocks; b++) {
#pragma omp task affinity(blocks[b][0 : kWords])
        add_one(blocks[b]);
      }
#pragma omp taskwait
    }
    for (int round = 0; round < rounds; round++) {
      for (int b = 0; b < kBlocks; b++) {
#pragma omp task affinity(blocks[b][0 : kWords]) depend(inout : blocks[b])
        {
#pragma omp task affinity(blocks[b][0 : kWords / 2]) shared(blocks)
          for (int i = 0; i < kWords / 2; i++) blocks[b][i]++;
#pragma omp taskwait
          for (int i = kWords / 2; i < kWords; i++) blocks[b][i]++;
        }
      }
    }
#pragma omp taskwait
#pragma omp taskgroup
    {
#pragma omp task affinity(iterator(int b = 0 : kBlocks) : blocks[b])
      for (int b = 0; b < kBlocks; b++) add_one(blocks[b]);
    }
  }
  for (int b = 0; b < kBlocks; b++)
    for (int i = 0; i < kWords; i++) CHECK_EQ(blocks[b][i], 2 * rounds + 1);
  return 0;
}
