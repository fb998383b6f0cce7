// A depend object stands for the dependence it was made from: as written, after an update, and one with several
// locators. RUN: %clang-openmp %s -o %t && %for-threads %t
#include "support/check.h"
#include <omp.h>

int main(void) {
  for (int round = 0; round < SCALED(320); round++) {
    int x = 0, y = 0, seen = -1, sum = -1;
    omp_depend_t object, both;
#pragma omp parallel
#pragma omp single
    {
#pragma omp depobj(object) depend(inout : x)
#pragma omp depobj(both) depend(iterator(i = 0 : 2), in : *(i ? &x : &y))
      for (int i = 0; i < 10; i++)
#pragma omp task depend(depobj : object) firstprivate(i)
        x = x == i ? i + 1 : -1;
#pragma omp task depend(out : y)
      y = 7;
#pragma omp depobj(object) update(in)
#pragma omp task depend(depobj : object) shared(seen)
      seen = x;
#pragma omp task depend(depobj : both) shared(sum)
      sum = x + y;
#pragma omp task depend(out : x)
      x = 100;
#pragma omp taskwait
#pragma omp depobj(object) destroy
#pragma omp depobj(both) destroy
    }
    CHECK_EQ(seen, 10);
    CHECK_EQ(sum, 17);
    CHECK_EQ(x, 100);
  }
  return 0;
}
