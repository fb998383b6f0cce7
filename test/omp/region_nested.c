// Nested regions: sizes, levels and ancestors are right at each level allowed to be active, and the levels beyond are
// serialised; a task's own settings do not leak out.
// RUN: %clang-openmp %s -o %t && %for-threads -t "1 4" %t
#include "support/check.h"
#include <omp.h>

static long leaves;

static void nest(int level, int deepest, int active, const int* sizes) {
  CHECK_EQ(omp_get_level(), level);
  if (level == deepest) {
    ATOMIC_ADD(leaves, 1);
    return;
  }
  int parent = omp_get_thread_num();
#pragma omp parallel num_threads(sizes[level])
  {
    int expected = level < active ? sizes[level] : 1;
    CHECK_EQ(omp_get_num_threads(), expected);
    CHECK_EQ(omp_get_level(), level + 1);
    CHECK_EQ(omp_get_active_level(), level + 1 < active ? level + 1 : active);
    CHECK_EQ(omp_get_ancestor_thread_num(level), parent);
    CHECK_EQ(omp_get_ancestor_thread_num(level + 1), omp_get_thread_num());
    CHECK_EQ(omp_get_ancestor_thread_num(0), 0);
    CHECK_EQ(omp_get_ancestor_thread_num(level + 2), -1);
    CHECK_EQ(omp_get_team_size(level + 1), expected);
    CHECK_EQ(omp_get_team_size(0), 1);
    CHECK_EQ(omp_get_team_size(level + 2), -1);
    for (int i = 0; i < level; i++) CHECK_EQ(omp_get_team_size(i + 1), i < active ? sizes[i] : 1);
    omp_set_num_threads(3 + omp_get_thread_num());
    int task_ran = 0;
#pragma omp task shared(task_ran)
    {
      CHECK_EQ(omp_get_level(), level + 1);
      ATOMIC_STORE(task_ran, 1);
    }
#pragma omp taskwait
    CHECK(ATOMIC_LOAD(task_ran));
    CHECK_EQ(omp_get_max_threads(), 3 + omp_get_thread_num());
    nest(level + 1, deepest, active, sizes);
  }
}

int main(void) {
  const int sizes[] = {3, 2, 2, 2};
  int before = omp_get_max_threads();
  for (int active = 0; active <= 3; active++) {
    omp_set_max_active_levels(active);
    CHECK_EQ(omp_get_max_active_levels(), active);
    for (int round = 0; round < 10; round++) {
      long expected = 1;
      for (int i = 0; i < active; i++) expected *= sizes[i];
      ATOMIC_STORE(leaves, 0);
      nest(0, 4, active, sizes);
      CHECK_EQ(leaves, expected);
    }
  }
  CHECK_EQ(omp_get_max_threads(), before);
  return 0;
}
