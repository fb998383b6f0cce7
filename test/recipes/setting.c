// CHOMP_TASKS_KEPT bounds what a thread keeps: it runs all other tasks when it makes them. It is shown, and a bad value
// leaves the default in force, with a warning.
// RUN: %clang-openmp %s -o %t && env CHOMP_TASKS_KEPT=8 %chomp-run %t 8 && %chomp-run %t 256
// RUN: env CHOMP_TASKS_KEPT=300 %chomp-run %t 256 2>&1 | grep -q 'CHOMP_TASKS_KEPT.*300'
// RUN: env CHOMP_TASKS_KEPT=8 OMP_DISPLAY_ENV=verbose %chomp-run %t 8 2>&1 | grep -q "CHOMP_TASKS_KEPT='8'"
#include <omp.h>
#include <stdatomic.h>

#include "support/check.h"

enum { kMany = 400 };

int main(int argc, char** argv) {
  CHECK_EQ(argc, 2);
  atomic_int ran = 0, here = 0, done = 0;
#pragma omp parallel num_threads(2)
  if (omp_get_thread_num() == 0) {
    SPIN_UNTIL(here);
    for (int i = 0; i < kMany; i++) {
#pragma omp task
      ran++;
    }
    CHECK_EQ(ran, kMany - atoi(argv[1]));
    done = 1;
  } else {
    here = 1;
    SPIN_UNTIL(done); // takes none
  }
  CHECK_EQ(ran, kMany);
  return 0;
}
