// taskloop reduction and in_reduction are exact, alone and nested in a task reduction.
// RUN: %clang-openmp %s -o %t && %for-threads %t
#include "support/check.h"

int main(void) {
  for (int round = 0; round < SCALED(80); round++) {
    long sum = 1, outer = 0, largest = -1;
#pragma omp parallel
#pragma omp single
    {
#pragma omp taskloop reduction(+ : sum) reduction(max : largest) grainsize(7)
      for (int i = 0; i < 1000; i++) {
        sum += i;
        if (largest < i * 3 % 1000) largest = i * 3 % 1000;
      }
#pragma omp taskgroup task_reduction(+ : outer)
      {
#pragma omp task in_reduction(+ : outer)
        {
#pragma omp taskloop in_reduction(+ : outer) num_tasks(13)
          for (int i = 0; i < 500; i++) outer += 2;
        }
#pragma omp taskloop in_reduction(+ : outer) nogroup
        for (int i = 0; i < 500; i++) outer += 1;
      }
    }
    CHECK_EQ(sum, 1 + 499500);
    CHECK_EQ(largest, 999);
    CHECK_EQ(outer, 1500);
  }
  return 0;
}
