// Tasks of an outer team that are still waiting when a thread forks an inner one are not run by the inner team, and the
// inner region's end does not wait for them.
// RUN: %clang-openmp %s -o %t && %for-threads %t
#include "support/check.h"
#include <omp.h>

int main(void) {
  omp_set_max_active_levels(3);
  int outer = omp_get_max_threads() > 8 ? 8 : omp_get_max_threads();
  long outer_ran = 0, inner_ran = 0;
  int tasks = 0;
#pragma omp parallel num_threads(outer) reduction(+ : tasks)
  {
    int in_team = omp_get_num_threads();
    for (int round = 0; round < SCALED(64); round++) {
      for (int i = 0; i < 10; i++)
#pragma omp task shared(outer_ran)
      {
        CHECK_EQ(omp_get_level(), 1);
        CHECK_EQ(omp_get_num_threads(), in_team);
        ATOMIC_ADD(outer_ran, 1);
      }
      tasks += 10;
      int inner = 0;
#pragma omp parallel num_threads(2) shared(inner)
      {
        int in_inner = omp_get_num_threads();
        for (int i = 0; i < 5; i++)
#pragma omp task shared(inner, inner_ran)
        {
          CHECK_EQ(omp_get_level(), 2);
          CHECK_EQ(omp_get_num_threads(), in_inner);
          CHECK_EQ(omp_get_ancestor_thread_num(2), omp_get_thread_num());
          ATOMIC_ADD(inner, 1);
          ATOMIC_ADD(inner_ran, 1);
        }
        if (round % 2) {
#pragma omp taskwait
        }
      }
      CHECK(ATOMIC_LOAD(inner) == 5 || ATOMIC_LOAD(inner) == 10);
      CHECK_EQ(omp_get_level(), 1);
    }
  }
  CHECK_EQ(outer_ran, tasks);
  CHECK_EQ(inner_ran, tasks); // two threads × 5, as many as outer ones
  return 0;
}
