// A little of everything that a program does with OpenMP, with answers that are checked: for tests about when and where
// OpenMP is used, not about what it does.
#pragma once

#include "support/check.h"
#include <omp.h>

/// A region of `threads` threads (0: as many as the settings say) with a loop and tasks.
static inline void use_openmp(int threads) {
  long loop = 0, tasks = 0, arrived = 0;
#pragma omp parallel num_threads(threads > 0 ? threads : omp_get_max_threads())
  {
    ATOMIC_ADD(arrived, 1);
#pragma omp for schedule(dynamic, 7) reduction(+ : loop)
    for (int i = 0; i < 200; i++) loop += i;
#pragma omp single
    {
      for (int i = 0; i < 50; i++)
#pragma omp task firstprivate(i) shared(tasks)
        ATOMIC_ADD(tasks, i);
#pragma omp taskwait
      CHECK_EQ(ATOMIC_LOAD(tasks), 1225);
    }
  }
  CHECK(arrived >= 1);
  CHECK_EQ(loop, 19900);
}
