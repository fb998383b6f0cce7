// Taskloops: every iteration once, with grains, groups, reductions and last values, one inside the other.
#include "support/check.h"
#include <omp.h>

enum { kIterations = 7, kMany = 24 };

int main(void) {
  int done[kIterations] = {0}, sum = 0, last = 0, nested[2][3] = {{0}}, loose[3] = {0}, many[kMany] = {0},
      left[kMany] = {0};
#pragma omp parallel
#pragma omp single
  {
#pragma omp taskloop grainsize(2) shared(done) lastprivate(last)
    for (int i = 0; i < kIterations; i++) {
      done[i]++;
      last = i;
    }
    CHECK_EQ(last, kIterations - 1);
    for (int i = 0; i < kIterations; i++) CHECK_EQ(done[i], 1);
#pragma omp taskloop num_tasks(3) reduction(+ : sum)
    for (int i = 0; i < kIterations; i++) sum += i;
    CHECK_EQ(sum, 21);
#pragma omp taskloop num_tasks(2) shared(nested)
    for (int i = 0; i < 2; i++)
#pragma omp taskloop num_tasks(3) firstprivate(i) shared(nested)
      for (int j = 0; j < 3; j++) nested[i][j] = i + j;
    for (int i = 0; i < 2; i++)
      for (int j = 0; j < 3; j++) CHECK_EQ(nested[i][j], i + j);
#pragma omp taskloop grainsize(1) shared(many)
    for (int i = 0; i < kMany; i++) many[i]++;
    for (int i = 0; i < kMany; i++) CHECK_EQ(many[i], 1);
#pragma omp taskloop grainsize(1) shared(left)
    for (int i = 0; i < kMany; i++)
#pragma omp task firstprivate(i) shared(left)
      left[i]++;
    for (int i = 0; i < kMany; i++) CHECK_EQ(left[i], 1);
#pragma omp taskloop nogroup shared(loose)
    for (int i = 0; i < 3; i++) loose[i] = 1;
#pragma omp taskwait
    CHECK_EQ(loose[0] + loose[1] + loose[2], 3);
  }
  return 0;
}
