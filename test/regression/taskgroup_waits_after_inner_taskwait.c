// A taskgroup whose body runs tasks that are older than the group (a taskwait or taskyield inside it does) still waits
// for what it makes afterwards. The group knew its tasks by where the private deque ended when it began, which is no
// longer true once the deque has become shorter.
// RUN: %clang-openmp %s -o %t && %for-threads %t
#include "support/check.h"
#include <omp.h>

static void nothing(int* ran) {
#pragma omp task firstprivate(ran)
  ATOMIC_ADD(*ran, 1);
}

static void after_taskwait(int* ran) {
  int late = 0;
  for (int i = 0; i < 3; i++) nothing(ran);
#pragma omp taskgroup
  {
#pragma omp taskwait
#pragma omp task shared(late)
    {
      burn(100);
      ATOMIC_STORE(late, 1);
    }
  }
  CHECK_EQ(ATOMIC_LOAD(late), 1);
}

static void after_taskyield(int* ran) {
  int late = 0;
  for (int i = 0; i < 3; i++) nothing(ran);
#pragma omp taskgroup
  {
#pragma omp taskgroup
    {
#pragma omp taskyield
#pragma omp task shared(late)
      ATOMIC_ADD(late, 1);
    }
    CHECK_EQ(ATOMIC_LOAD(late), 1);
#pragma omp taskyield
#pragma omp task shared(late)
    ATOMIC_ADD(late, 1);
  }
  CHECK_EQ(ATOMIC_LOAD(late), 2);
}

// An undeferred task inside the group, which yields to one that is older than the group.
static void after_undeferred(int* ran) {
  int late = 0;
  for (int i = 0; i < 3; i++) nothing(ran);
#pragma omp task untied shared(late)
  {
#pragma omp taskgroup
    {
#pragma omp task untied if (0)
      {
#pragma omp taskyield
      }
#pragma omp task shared(late)
      ATOMIC_STORE(late, 1);
    }
    CHECK_EQ(ATOMIC_LOAD(late), 1);
  }
#pragma omp taskwait
}

int main(void) {
  for (int round = 0; round < SCALED(160); round++) {
    int ran = 0;
#pragma omp parallel
#pragma omp single
    {
      after_taskwait(&ran);
      after_taskyield(&ran);
      after_undeferred(&ran);
#pragma omp task shared(ran)
      {
        after_taskwait(&ran);
        after_taskyield(&ran);
        after_undeferred(&ran);
#pragma omp taskwait
      }
    }
    CHECK_EQ(ran, 18);
  }
  return 0;
}
