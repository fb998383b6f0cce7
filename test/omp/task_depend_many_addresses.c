// Dependences stay exact when a task names thousands of addresses over its life, neighbours in memory or far apart, and
// when one task names a hundred at once.
// RUN: %clang-openmp %s -o %t && %for-threads %t
#include "support/check.h"

enum { kAddresses = SCALED(1 << 15), kAtOnce = 100 };

int main(void) {
  char* near = calloc(kAddresses, 1);
  long(*far)[512] = calloc(kAddresses / 16, sizeof *far);
  int all = 0, list[kAtOnce] = {0};
#pragma omp parallel
#pragma omp single
  {
    for (int pass = 0; pass < 2; pass++)
      for (int i = 0; i < kAddresses; i++)
#pragma omp task depend(inout : near[i]) firstprivate(i, pass)
        near[i] = near[i] == pass ? pass + 1 : 100;
    for (int pass = 0; pass < 2; pass++)
      for (int i = 0; i < kAddresses / 16; i++)
#pragma omp task depend(inout : far[i][0]) firstprivate(i, pass)
        far[i][0] = far[i][0] == pass ? pass + 1 : 100;
    for (int i = 0; i < kAtOnce; i++)
#pragma omp task depend(out : list[i]) firstprivate(i) shared(list)
      list[i] = 1;
#pragma omp task depend(iterator(i = 0 : kAtOnce), inout : list[i]) shared(list, all)
    for (int i = 0; i < kAtOnce; i++) all += list[i], list[i] = 2;
    for (int i = 0; i < kAtOnce; i++)
#pragma omp task depend(in : list[i]) firstprivate(i) shared(list)
      CHECK_EQ(list[i], 2);
  }
  for (int i = 0; i < kAddresses; i++) CHECK_EQ(near[i], 2);
  for (int i = 0; i < kAddresses / 16; i++) CHECK_EQ(far[i][0], 2);
  CHECK_EQ(all, kAtOnce);
  free(near);
  free(far);
  return 0;
}
