// A region inside teams has no more threads than KMP_TEAMS_THREAD_LIMIT says, whatever num_threads asks for; without
// that setting no more than there are CPUs, unless the teams have a thread_limit that says more.
// RUN: %clang-openmp %s -o %t
// RUN: env -u OMP_NUM_THREADS %chomp-run %t default
// RUN: env KMP_TEAMS_THREAD_LIMIT=3 %chomp-run %t 3
// RUN: env KMP_TEAMS_THREAD_LIMIT=6 OMP_NUM_THREADS=9 %chomp-run %t 6
#include "support/check.h"
#include <omp.h>
#include <string.h>

static int threads_in_teams(int asked, int limit) {
  int most = 0;
  if (limit > 0) {
#pragma omp teams num_teams(2) thread_limit(limit)
    {
#pragma omp parallel num_threads(asked)
#pragma omp single
      ATOMIC_STORE(most, omp_get_num_threads());
    }
  } else {
#pragma omp teams num_teams(2)
    {
#pragma omp parallel num_threads(asked)
#pragma omp single
      ATOMIC_STORE(most, omp_get_num_threads());
    }
  }
  return most;
}

int main(int argc, char** argv) {
  CHECK_EQ(argc, 2);
  int given = strcmp(argv[1], "default") != 0, cap = given ? atoi(argv[1]) : omp_get_num_procs();
  CHECK(threads_in_teams(10000, 0) <= cap);
  CHECK(threads_in_teams(10000, 2) <= 2);
  if (given)
    CHECK(threads_in_teams(10000, cap + 2) <= cap);
  else
    CHECK_EQ(threads_in_teams(cap + 2, cap + 2), cap + 2);
#pragma omp parallel num_threads(cap + 2)
  CHECK_EQ(omp_get_num_threads(), cap + 2); // outside teams nothing has changed
  return 0;
}
