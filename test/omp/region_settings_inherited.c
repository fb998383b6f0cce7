// Settings are a task's own: what a region's thread or a task sets is not seen by its creator or siblings, and is
// inherited by its children.
// RUN: %clang-openmp %s -o %t && %for-threads %t
#include "support/check.h"
#include <omp.h>

int main(void) {
  omp_set_dynamic(0);
  omp_set_schedule(omp_sched_guided, 5);
  int before = omp_get_max_threads();
#pragma omp parallel
  {
    omp_sched_t kind;
    int chunk, id = omp_get_thread_num();
    omp_get_schedule(&kind, &chunk);
    CHECK_EQ(kind, omp_sched_guided);
    CHECK_EQ(chunk, 5);
    omp_set_num_threads(10 + id);
    omp_set_schedule(omp_sched_dynamic, 1 + id);
    omp_set_dynamic(id % 2);
#pragma omp barrier
    CHECK_EQ(omp_get_max_threads(), 10 + id);
    CHECK_EQ(omp_get_dynamic() != 0, id % 2);
    for (int i = 0; i < 10; i++)
#pragma omp task firstprivate(id, i)
    {
      CHECK_EQ(omp_get_max_threads(), 10 + id);
      omp_set_num_threads(100 + i);
      omp_sched_t inner_kind;
      int inner_chunk;
      omp_get_schedule(&inner_kind, &inner_chunk);
      CHECK_EQ(inner_kind, omp_sched_dynamic);
      CHECK_EQ(inner_chunk, 1 + id);
#pragma omp task firstprivate(i)
      CHECK_EQ(omp_get_max_threads(), 100 + i);
    }
#pragma omp taskwait
    CHECK_EQ(omp_get_max_threads(), 10 + id);
  }
  omp_sched_t kind;
  int chunk;
  omp_get_schedule(&kind, &chunk);
  CHECK_EQ(kind, omp_sched_guided);
  CHECK_EQ(chunk, 5);
  CHECK_EQ(omp_get_max_threads(), before);
  CHECK(!omp_get_dynamic());
  return 0;
}
