// inoutset tasks of one group may run in any order among themselves, but after the writers and readers before them and
// before those after them.
// RUN: %clang-openmp -fopenmp-version=51 %s -o %t && %for-threads %t
#include "support/check.h"

enum { kGroup = 20, kRounds = SCALED(160) };

int main(void) {
  int x = 0, value = 0, in_group = 0, before = 0;
#pragma omp parallel
#pragma omp single
  for (int round = 0; round < kRounds; round++) {
#pragma omp task depend(out : x) firstprivate(round)
    {
      CHECK_EQ(ATOMIC_LOAD(in_group), round * kGroup);
      CHECK_EQ(ATOMIC_LOAD(before), round * kGroup);
      value = round;
    }
    for (int i = 0; i < kGroup; i++)
#pragma omp task depend(inoutset : x) firstprivate(round)
    {
      CHECK_EQ(value, round);
      ATOMIC_ADD(in_group, 1);
    }
    for (int i = 0; i < kGroup; i++)
#pragma omp task depend(in : x) firstprivate(round)
    {
      CHECK_EQ(ATOMIC_LOAD(in_group), (round + 1) * kGroup);
      ATOMIC_ADD(before, 1);
    }
  }
  CHECK_EQ(before, kRounds * kGroup);
  return 0;
}
