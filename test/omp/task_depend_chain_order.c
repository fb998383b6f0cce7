// in, out and inout keep the order of the serial program: writers one after another, readers between their writers.
// RUN: %clang-openmp %s -o %t && %for-threads %t
#include "support/check.h"

enum { kRounds = SCALED(2000), kReaders = 4 };

static void one_chain(void) {
  int value = 0;
  int seen[kRounds][kReaders] = {{0}};
#pragma omp parallel
#pragma omp single
  for (int round = 0; round < kRounds; round++) {
    if (round % 2)
#pragma omp task depend(inout : value) firstprivate(round)
      value = value == round ? round + 1 : -1;
    else
#pragma omp task depend(out : value) firstprivate(round)
      value = value == round ? round + 1 : -1;
    for (int r = 0; r < kReaders; r++)
#pragma omp task depend(in : value) firstprivate(round, r)
      seen[round][r] = value;
  }
  CHECK_EQ(value, kRounds);
  for (int round = 0; round < kRounds; round++)
    for (int r = 0; r < kReaders; r++) CHECK_EQ(seen[round][r], round + 1);
}

static void many_chains(void) {
  enum { kChains = 64, kLength = 100 };
  int value[kChains] = {0};
#pragma omp parallel
#pragma omp single
  for (int step = 0; step < kLength; step++)
    for (int c = 0; c < kChains; c++)
#pragma omp task depend(inout : value[c]) firstprivate(step, c) shared(value)
      value[c] = value[c] == step ? step + 1 : -1000000;
  for (int c = 0; c < kChains; c++) CHECK_EQ(value[c], kLength);
}

int main(void) {
  one_chain();
  many_chains();
  return 0;
}
