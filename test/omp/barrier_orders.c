// What is written before a barrier is seen after it, by all, many barriers in a row; a barrier also completes all
// tasks.
// RUN: %clang-openmp %s -o %t && %for-threads %t
#include "support/check.h"
#include <omp.h>

enum { kMost = 64 };
static struct {
  int value;
  int tasks;
} slot[kMost];

int main(void) {
#pragma omp parallel
  {
    int id = omp_get_thread_num(), n = omp_get_num_threads();
    for (int round = 1; round <= SCALED(320); round++) {
      slot[id].value = round;
#pragma omp barrier
      for (int i = 0; i < n; i++) CHECK_EQ(slot[i].value, round);
#pragma omp barrier
      if (round % 4 == 0) {
        for (int i = 0; i < 3; i++)
#pragma omp task firstprivate(id)
        {
#pragma omp task firstprivate(id)
          ATOMIC_ADD(slot[id].tasks, 1);
        }
#pragma omp barrier
        for (int i = 0; i < n; i++) CHECK_EQ(ATOMIC_LOAD(slot[i].tasks), 3 * (round / 4));
#pragma omp barrier
      }
    }
  }
  return 0;
}
