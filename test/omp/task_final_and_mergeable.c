// In a final task all descendants are included: they run at once, on the same thread, and omp_in_final says so.
// RUN: %clang-openmp %s -o %t && %for-threads %t
#include "support/check.h"
#include <omp.h>

static long tree(int depth, int cut) {
  if (depth == 0) return 1;
  long a = 0, b = 0;
  int final = omp_in_final();
  if (depth < cut) CHECK(final);
  int thread = omp_get_thread_num();
#pragma omp task shared(a) final(depth <= cut) mergeable
  {
    CHECK_EQ(omp_in_final() != 0, depth <= cut);
    if (final) CHECK_EQ(omp_get_thread_num(), thread);
    a = tree(depth - 1, cut);
  }
  if (final) CHECK(a > 0);
#pragma omp task shared(b) final(depth <= cut) untied
  b = tree(depth - 1, cut);
  if (final) CHECK(b > 0);
#pragma omp taskwait
  return a + b;
}

int main(void) {
  CHECK(!omp_in_final());
#pragma omp parallel
#pragma omp single
  {
    CHECK(!omp_in_final());
    for (int cut = 0; cut < 10; cut += 3) CHECK_EQ(tree(10, cut), 1024);
#pragma omp task final(1)
    {
      int order = 0;
#pragma omp taskloop shared(order)
      for (int i = 0; i < 10; i++) order++; // included, so never at the same time
      CHECK_EQ(order, 10);
#pragma omp taskgroup
      {
#pragma omp task shared(order)
        order++;
        CHECK_EQ(order, 11);
      }
    }
#pragma omp taskwait
    CHECK(!omp_in_final());
  }
  return 0;
}
