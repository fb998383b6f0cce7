// reduction(task, …) on parallel and on worksharing loops and sections: implicit and explicit tasks contribute.
// RUN: %clang-openmp %s -o %t && %for-threads %t
#include "support/check.h"
#include <omp.h>

int main(void) {
  for (int round = 0; round < SCALED(80); round++) {
    long sum = 5, loop = 7, part = 1, threads = 0;
#pragma omp parallel reduction(task, + : sum) reduction(+ : threads)
    {
      threads++;
      sum += 1;
      for (int i = 0; i < 20; i++)
#pragma omp task in_reduction(+ : sum) firstprivate(i)
      {
        sum += i;
#pragma omp task in_reduction(+ : sum)
        sum += 1;
      }
    }
    CHECK_EQ(sum, 5 + threads * (1 + 190 + 20));

#pragma omp parallel
    {
#pragma omp for reduction(task, + : loop)
      for (int i = 0; i < 100; i++) {
        loop += i;
#pragma omp task in_reduction(+ : loop)
        loop += 1;
      }
#pragma omp sections reduction(task, + : part)
      {
#pragma omp section
        {
#pragma omp task in_reduction(+ : part)
          part += 10;
        }
#pragma omp section
        {
          part += 3;
#pragma omp task in_reduction(+ : part)
          part += 100;
        }
      }
    }
    CHECK_EQ(loop, 7 + 4950 + 100);
    CHECK_EQ(part, 1 + 10 + 3 + 100);
  }
  return 0;
}
