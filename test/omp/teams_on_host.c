// teams and distribute on the host: leagues have the size asked for at most, each iteration of a distributed loop runs
// once, reductions over leagues are exact.
// RUN: %clang-openmp %s -o %t && %for-threads -t "1 2 4" %t
#include "support/check.h"
#include <omp.h>

int main(void) {
  enum { kN = 1000 };
  static int runs[kN];
  long sum = 0;
  int leagues = 0;
#pragma omp teams num_teams(3) thread_limit(2) reduction(+ : leagues)
  {
    CHECK(omp_get_num_teams() >= 1 && omp_get_num_teams() <= 3);
    CHECK(omp_get_team_num() >= 0 && omp_get_team_num() < omp_get_num_teams());
    leagues++;
    int threads = 0;
#pragma omp parallel reduction(+ : threads)
    threads++;
    CHECK(threads >= 1 && threads <= 2);
#pragma omp distribute
    for (int i = 0; i < kN; i++) ATOMIC_ADD(runs[i], 1);
  }
  CHECK(leagues >= 1 && leagues <= 3);
#pragma omp teams distribute parallel for num_teams(2) reduction(+ : sum)
  for (int i = 0; i < kN; i++) {
    ATOMIC_ADD(runs[i], 1);
    sum += i;
  }
#pragma omp teams distribute parallel for dist_schedule(static, 7) schedule(dynamic, 2) collapse(2)
  for (int i = 0; i < kN / 10; i++)
    for (int j = 0; j < 10; j++) ATOMIC_ADD(runs[i * 10 + j], 1);
  for (int i = 0; i < kN; i++) CHECK_EQ(runs[i], 3);
  CHECK_EQ(sum, kN * (kN - 1) / 2);
  CHECK_EQ(omp_get_num_teams(), 1);
  CHECK_EQ(omp_get_team_num(), 0);
#pragma omp target map(tofrom : sum)
  sum++;
  CHECK_EQ(sum, kN * (kN - 1) / 2 + 1);
  return 0;
}
