// Settings of a region: who has which.
// RUN: %clang-openmp %s -o %t && %for-threads %t
#include "support/check.h"
#include <omp.h>

// Settings are a task's own: what a region's thread or a task sets is not seen by its creator or siblings, and is
// inherited by its children.
static void settings_inherited(void) {
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
}

// A task may change its settings so often that a runtime runs out of room for blocks that tasks share. It and its
// children see what was set last, also after a return to earlier settings, in one region after the other.
enum { kDistinct = 700 };

static void set(int i) {
  omp_set_schedule(i % 2 ? omp_sched_dynamic : omp_sched_guided, i / 2 + 1);
  omp_set_num_threads(i % 3 + 1);
}

static void check(int i) {
  omp_sched_t kind;
  int chunk;
  omp_get_schedule(&kind, &chunk);
  CHECK_EQ(kind, i % 2 ? omp_sched_dynamic : omp_sched_guided);
  CHECK_EQ(chunk, i / 2 + 1);
  CHECK_EQ(omp_get_max_threads(), i % 3 + 1);
}

static void set_and_check(int i) {
  set(i);
  check(i);
#pragma omp task firstprivate(i)
  {
    check(i);
    set(i + 1);
    check(i + 1);
  }
}

static void settings_many(void) {
  for (int round = 0; round < 3; round++) {
#pragma omp parallel
    {
      for (int i = 0; i < kDistinct; i++) set_and_check(i);
      for (int i = kDistinct; i-- > 0;) set_and_check(i);
    }
  }
}

int main(void) {
  settings_inherited();
  settings_many();
  return 0;
}
