// Dependences of OpenMP 5.1: inoutset and omp_all_memory.
// RUN: %clang-openmp -fopenmp-version=51 %s -o %t && %for-threads %t
#include "support/check.h"

// inoutset tasks of one group may run in any order among themselves, but after the writers and readers before them
// and before those after them.
enum { kGroup = 20, kInoutsetGroupsRounds = SCALED(160) };

static void inoutset_groups(void) {
  int x = 0, value = 0, in_group = 0, before = 0;
#pragma omp parallel
#pragma omp single
  for (int round = 0; round < kInoutsetGroupsRounds; round++) {
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
  CHECK_EQ(before, kInoutsetGroupsRounds * kGroup);
}

// omp_all_memory depends on every task before it that has a dependence, and everything after depends on it.
enum { kAllMemoryRounds = SCALED(800), kCells = 8 };

static void all_memory(void) {
  int cell[kCells] = {0}, early = 0;
#pragma omp parallel
#pragma omp single
  for (int round = 0; round < kAllMemoryRounds; round++) {
    for (int i = 0; i < kCells; i++)
#pragma omp task depend(inout : cell[i]) firstprivate(i, round) shared(cell)
    {
      CHECK_EQ(cell[i], 2 * round);
      cell[i]++;
    }
#pragma omp task depend(inout : omp_all_memory) firstprivate(round) shared(cell)
    for (int i = 0; i < kCells; i++) {
      if (cell[i] != 2 * round + 1) ATOMIC_ADD(early, 1);
      cell[i]++;
    }
#pragma omp task depend(in : cell[0]) firstprivate(round) shared(cell)
    CHECK_EQ(cell[kCells - 1] >= 2 * round + 2, 1);
#pragma omp taskwait
  }
  CHECK_EQ(early, 0);
}

int main(void) {
  inoutset_groups();
  all_memory();
  return 0;
}
