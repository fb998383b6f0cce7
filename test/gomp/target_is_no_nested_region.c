// A target region on the host is a region of a new initial thread: it is nested in nothing, has the settings'
// variables, not those of the task that encounters it, and obeys its own thread_limit.
// REQUIRES: gomp
// RUN: %gcc-openmp %s -o %t && %for-threads %t && %chomp-preload %t
#include "support/check.h"
#include <omp.h>

static int settings_threads;

static void check_region(void) {
  CHECK_EQ(omp_get_level(), 0);
  CHECK_EQ(omp_get_active_level(), 0);
  CHECK_EQ(omp_in_parallel(), 0);
  CHECK_EQ(omp_in_final(), 0);
  CHECK_EQ(omp_get_num_threads(), 1);
  CHECK_EQ(omp_get_ancestor_thread_num(0), 0);
  CHECK_EQ(omp_get_ancestor_thread_num(1), -1);
  CHECK_EQ(omp_get_max_threads(), settings_threads);
  CHECK_EQ(omp_get_dynamic(), 0);
  omp_sched_t kind;
  int chunk;
  omp_get_schedule(&kind, &chunk);
  CHECK(kind == omp_sched_static);
  omp_set_num_threads(7); // of this region alone
#pragma omp parallel num_threads(2)
  {
    CHECK_EQ(omp_get_level(), 1);
    CHECK_EQ(omp_get_ancestor_thread_num(0), 0);
  }
}

static void regions(int outer_level) {
  omp_set_num_threads(5);
  omp_set_dynamic(1);
  omp_set_schedule(omp_sched_guided, 3);
#pragma omp target
  check_region();
  int done = 0;
#pragma omp target nowait depend(out : done) map(tofrom : done)
  {
    check_region();
    done = 1;
  }
#pragma omp taskwait
  CHECK_EQ(done, 1);
#pragma omp task final(1) if (0)
  {
#pragma omp target
    check_region();
  }
  CHECK_EQ(omp_get_level(), outer_level);
  CHECK_EQ(omp_get_max_threads(), 5);
  CHECK_EQ(omp_get_dynamic(), 1);
}

static void limits(int limit) {
  int most = 0, seen = 0;
#pragma omp target thread_limit(limit) map(tofrom : most, seen)
  {
    seen = omp_get_thread_limit();
#pragma omp parallel num_threads(8)
#pragma omp single
    most = omp_get_num_threads();
  }
  CHECK_EQ(seen, limit);
  CHECK(most <= limit);
#pragma omp target thread_limit(2) nowait map(tofrom : seen)
  seen = omp_get_thread_limit();
#pragma omp taskwait
  CHECK_EQ(seen, 2);
#pragma omp target teams num_teams(2) thread_limit(limit) map(tofrom : seen)
  {
    CHECK_EQ(omp_get_num_teams(), 2);
#pragma omp parallel num_threads(8)
    CHECK(omp_get_num_threads() <= limit);
  }
}

int main(void) {
  settings_threads = omp_get_max_threads();
  int before = omp_get_thread_limit();
  limits(1);
  limits(3);
  CHECK_EQ(omp_get_thread_limit(), before);
  regions(0);
#pragma omp parallel num_threads(3)
  {
    regions(1);
    limits(2);
  }
  return 0;
}
