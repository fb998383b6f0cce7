// Each task has the settings that were in force when it was made, and its own changes, however many different ones a
// region has seen; tasks that are made when there are very many do everything that tasks do.
// RUN: %clang-openmp %s -o %t && %for-threads -t "1 2 3 8" %t
// RUN: %if gomp %{ %gcc-openmp %s -o %t.gcc && %for-threads -t "1 2 8" %t.gcc %}
#include "support/check.h"
#include <omp.h>

enum { kChanges = 1500, kKept = 20 };

static int chunk_now(void) {
  omp_sched_t kind;
  int chunk;
  omp_get_schedule(&kind, &chunk);
  return chunk;
}

static void set_chunk(int chunk) { omp_set_schedule(omp_sched_dynamic, chunk); }

static int ran;

// In a task that was made when `chunk` was in force.
static void check_inside(int chunk) {
  CHECK_EQ(chunk_now(), chunk);
#pragma omp task firstprivate(chunk)
  {
    CHECK_EQ(chunk_now(), chunk);
    set_chunk(chunk + 1000000);
    CHECK_EQ(chunk_now(), chunk + 1000000);
#pragma omp task firstprivate(chunk)
    {
      CHECK_EQ(chunk_now(), chunk + 1000000);
      ATOMIC_ADD(ran, 1);
    }
  }
  CHECK_EQ(chunk_now(), chunk);
  set_chunk(chunk + 2000000);
  CHECK_EQ(chunk_now(), chunk + 2000000);
  ATOMIC_ADD(ran, 1);
}

static void change_often(int first, int step) {
  int data = 0, looped = 0;
  for (int i = 0; i < kChanges; i++) {
    int chunk = first + i * step;
    set_chunk(chunk);
    CHECK_EQ(chunk_now(), chunk);
#pragma omp task firstprivate(chunk)
    check_inside(chunk);
#pragma omp task firstprivate(chunk, i) depend(inout : data) shared(data)
    {
      CHECK_EQ(chunk_now(), chunk);
      CHECK_EQ(data++, i);
    }
#pragma omp task if (0)
    CHECK_EQ(chunk_now(), chunk);
    if (i % 100 == 0) {
#pragma omp taskloop nogroup shared(looped) firstprivate(chunk)
      for (int k = 0; k < 10; k++) {
        CHECK_EQ(chunk_now(), chunk);
        ATOMIC_ADD(looped, 1);
      }
#pragma omp parallel num_threads(2) firstprivate(chunk)
      {
        CHECK_EQ(chunk_now(), chunk);
        set_chunk(chunk + 1 + omp_get_thread_num());
#pragma omp task
        CHECK(chunk_now() > chunk);
      }
    }
    if (i % kKept == 0) {
#pragma omp taskwait
    }
    CHECK_EQ(chunk_now(), chunk);
  }
#pragma omp taskwait
  CHECK_EQ(data, kChanges);
  CHECK_EQ(ATOMIC_LOAD(looped), kChanges / 100 * 10);
}

int main(void) {
  change_often(7, 3); // outside every region
  CHECK_EQ(ATOMIC_LOAD(ran), 2 * kChanges);
  for (int round = 0; round < 2; round++) {
    int threads = 1;
    ATOMIC_STORE(ran, 0);
#pragma omp parallel
    {
      int each = omp_get_thread_num() + 1, all = omp_get_num_threads();
      if (each == 1) threads = all;
      change_often(each, all);
    }
    CHECK_EQ(ATOMIC_LOAD(ran), 2 * kChanges * threads);
  }
  set_chunk(1);
  CHECK_EQ(chunk_now(), 1);
  return 0;
}
