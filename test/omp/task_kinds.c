// Tasks stay in their team; final and merged ones are run at once; taskyield runs others.
// RUN: %clang-openmp %s -o %t && %for-threads %t
#include "support/check.h"
#include <omp.h>

// Tasks of an outer team that are still waiting when a thread forks an inner one are not run by the inner team, and
// the inner region's end does not wait for them.
static void stays_in_its_team(void) {
  omp_set_max_active_levels(3);
  int outer = omp_get_max_threads() > 8 ? 8 : omp_get_max_threads();
  long outer_ran = 0, inner_ran = 0;
  int tasks = 0;
#pragma omp parallel num_threads(outer) reduction(+ : tasks)
  {
    int in_team = omp_get_num_threads();
    for (int round = 0; round < SCALED(64); round++) {
      for (int i = 0; i < 10; i++)
#pragma omp task shared(outer_ran)
      {
        CHECK_EQ(omp_get_level(), 1);
        CHECK_EQ(omp_get_num_threads(), in_team);
        ATOMIC_ADD(outer_ran, 1);
      }
      tasks += 10;
      int inner = 0;
#pragma omp parallel num_threads(2) shared(inner)
      {
        int in_inner = omp_get_num_threads();
        for (int i = 0; i < 5; i++)
#pragma omp task shared(inner, inner_ran)
        {
          CHECK_EQ(omp_get_level(), 2);
          CHECK_EQ(omp_get_num_threads(), in_inner);
          CHECK_EQ(omp_get_ancestor_thread_num(2), omp_get_thread_num());
          ATOMIC_ADD(inner, 1);
          ATOMIC_ADD(inner_ran, 1);
        }
        if (round % 2) {
#pragma omp taskwait
        }
      }
      CHECK(ATOMIC_LOAD(inner) == 5 || ATOMIC_LOAD(inner) == 10);
      CHECK_EQ(omp_get_level(), 1);
    }
  }
  CHECK_EQ(outer_ran, tasks);
  CHECK_EQ(inner_ran, tasks); // two threads × 5, as many as outer ones
}

// In a final task all descendants are included: they run at once, on the same thread, and omp_in_final says so.
static long final_and_mergeable_tree(int depth, int cut) {
  if (depth == 0) return 1;
  long a = 0, b = 0;
  int final = omp_in_final();
  if (depth < cut) CHECK(final);
  int thread = omp_get_thread_num();
#pragma omp task shared(a) final(depth <= cut) mergeable
  {
    CHECK_EQ(omp_in_final() != 0, depth <= cut);
    if (final) CHECK_EQ(omp_get_thread_num(), thread);
    a = final_and_mergeable_tree(depth - 1, cut);
  }
  if (final) CHECK(a > 0);
#pragma omp task shared(b) final(depth <= cut) untied
  b = final_and_mergeable_tree(depth - 1, cut);
  if (final) CHECK(b > 0);
#pragma omp taskwait
  return a + b;
}

static void final_and_mergeable(void) {
  CHECK(!omp_in_final());
#pragma omp parallel
#pragma omp single
  {
    CHECK(!omp_in_final());
    for (int cut = 0; cut < 10; cut += 3) CHECK_EQ(final_and_mergeable_tree(10, cut), 1024);
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
}

// taskyield, in tied and untied tasks and under deep nesting, loses nothing and keeps taskwait's promise.
static long count;

static long yield_tree(int depth) {
  if (depth == 0) {
    ATOMIC_ADD(count, 1);
    return 1;
  }
  long a = 0, b = 0;
#pragma omp task shared(a)
  {
#pragma omp taskyield
    a = yield_tree(depth - 1);
#pragma omp taskyield
  }
#pragma omp task untied shared(b)
  {
    long local = depth;
#pragma omp taskyield
    CHECK_EQ(local, depth);
    b = yield_tree(depth - 1);
#pragma omp taskyield
    CHECK_EQ(local, depth);
  }
#pragma omp taskyield
#pragma omp taskwait
  CHECK(a > 0 && b > 0);
  return a + b;
}

static void yield(void) {
#pragma omp taskyield // outside any region
#pragma omp parallel
  {
#pragma omp taskyield
#pragma omp single
    CHECK_EQ(yield_tree(SCALED(16) == 16 ? 10 : 7), SCALED(16) == 16 ? 1024 : 128);
  }
  CHECK_EQ(count, SCALED(16) == 16 ? 1024 : 128);
}

int main(void) {
  yield(); // before there is a team
  final_and_mergeable();
  stays_in_its_team();
  return 0;
}
