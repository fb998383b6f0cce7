// Constructs with reduction(task, …) nest: each scope has copies of its own, whatever its size, and so have the loops
// and sections in it. Also without the barrier at the end of the inner one.
// REQUIRES: gomp
// RUN: %gcc-openmp %s -o %t && %for-threads %t
#include "support/check.h"
#include <omp.h>

static long outer, inner, third;
static double cells[40];

static void scopes(void) {
  outer = inner = third = 0;
  for (int i = 0; i < 40; i++) cells[i] = 0;
  int members = 0;
#pragma omp parallel
  {
    ATOMIC_ADD(members, 1);
#pragma omp scope reduction(task, + : outer)
    {
      outer += 1;
#pragma omp task in_reduction(+ : outer)
      outer += 10;
#pragma omp scope reduction(task, + : inner) reduction(task, + : cells)
      {
#pragma omp task in_reduction(+ : inner) in_reduction(+ : cells)
        {
          inner += 100;
          for (int i = 0; i < 40; i++) cells[i] += i;
        }
#pragma omp task in_reduction(+ : outer)
        outer += 1000;
#pragma omp scope reduction(task, + : third)
        {
#pragma omp task in_reduction(+ : third) in_reduction(+ : inner)
          {
            third += 1;
            inner += 1;
          }
        }
      }
#pragma omp task in_reduction(+ : outer)
      outer += 10000;
    }
  }
  CHECK_EQ(outer, members * 11011L);
  CHECK_EQ(inner, members * 101L);
  CHECK_EQ(third, members);
  for (int i = 0; i < 40; i++) CHECK(cells[i] == (double)members * i);
}

static void one_after_the_other(void) {
  outer = inner = 0;
  int members = 0;
#pragma omp parallel
  {
    ATOMIC_ADD(members, 1);
    for (int round = 0; round < 20; round++) {
#pragma omp scope reduction(task, + : outer)
      {
#pragma omp task in_reduction(+ : outer)
        outer += 1;
#pragma omp scope reduction(task, + : inner)
#pragma omp task in_reduction(+ : inner)
        inner += 1;
      }
    }
  }
  CHECK_EQ(outer, members * 20L);
  CHECK_EQ(inner, members * 20L);
}

int main(void) {
  for (int round = 0; round < 100; round++) {
    scopes();
    one_after_the_other();
  }
  return 0;
}
