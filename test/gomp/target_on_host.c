// Target regions of GCC's code on the host.
// REQUIRES: gomp
// RUN: %gcc-openmp %s -o %t && %for-threads %t && %chomp-preload %t
#include "support/check.h"
#include <omp.h>
#include <stdint.h>
#include <string.h>

// Target constructs run on the host: firstprivate variables are copies, mapped ones are the originals, a region has
// a thread of its own, `nowait` and `depend` put it among the tasks, data constructs keep their place in that order.
typedef struct {
  _Alignas(64) int a[20];
} Wide;

static void mapped_and_private(int i) {
  int array[10] = {i}, n = i;
  char c = (char)i;
  double d = i + 0.25;
  Wide wide = {{i, i + 1}};
  int* pointer = array;
#pragma omp target map(tofrom : array) firstprivate(n, c, d, wide)
  {
    CHECK(array[0] == i && n == i && c == (char)i && d == i + 0.25 && wide.a[1] == i + 1);
    CHECK_EQ((uintptr_t)&wide % 64, 0);
    array[1] = n + 1;
    n = c = 0, d = 0;
    memset(&wide, 0, sizeof wide);
    CHECK(omp_is_initial_device() && omp_get_num_threads() == 1 && omp_get_thread_num() == 0);
#pragma omp barrier // of the region's own single thread
  }
  CHECK(array[1] == i + 1 && n == i && d == i + 0.25 && wide.a[0] == i);
#pragma omp target is_device_ptr(pointer) if (i > 3) device(0)
  pointer[2] = i;
  CHECK_EQ(array[2], i);
#pragma omp target data map(tofrom : array) use_device_ptr(pointer)
  {
    CHECK(pointer == array);
#pragma omp target map(tofrom : array[3 : 2])
    array[3] = array[4] = i;
#pragma omp target update from(array)
  }
  CHECK_EQ(array[4], i);
  long sum = 0;
#pragma omp target parallel for reduction(+ : sum) map(tofrom : sum)
  for (int k = 0; k < 100; k++) sum += k;
  CHECK_EQ(sum, 4950);
}

static int x, y, order;

static void among_tasks(int i) {
  int local[4] = {i, 0, 0, 0};
  x = y = order = 0;
#pragma omp task depend(out : x)
  {
    burn(500);
    x = 1;
  }
#pragma omp target nowait depend(inout : x) firstprivate(local) map(tofrom : x)
  {
    CHECK(x == 1 && local[0] == i);
    burn(500);
    x = 2;
  }
  local[0] = -1;
#pragma omp target enter data map(to : x) nowait depend(inout : x)
#pragma omp target update to(x) nowait depend(inout : x) depend(out : y)
#pragma omp task depend(in : x)
  {
    CHECK_EQ(x, 2);
    ATOMIC_ADD(order, 1);
  }
#pragma omp target depend(in : x) depend(inout : y) map(tofrom : x, y)
  {
    CHECK_EQ(x, 2);
    y = 3;
  }
  CHECK_EQ(y, 3);
#pragma omp target exit data map(from : x) depend(inout : x)
  CHECK_EQ(ATOMIC_LOAD(order), 1);
#pragma omp taskwait
}

static void target_on_host(void) {
  mapped_and_private(2);
  among_tasks(1);
#pragma omp parallel
  {
    mapped_and_private(omp_get_thread_num());
#pragma omp barrier
#pragma omp single
    for (int i = 0; i < SCALED(160); i++) {
      mapped_and_private(i);
      among_tasks(i);
    }
  }
}

// A target region on the host is a region of a new initial thread: it is nested in nothing, has the settings'
// variables, not those of the task that encounters it, and obeys its own thread_limit.
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
  CHECK(kind == omp_sched_dynamic);
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

static void target_is_no_nested_region(void) {
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
}

int main(void) {
  target_on_host();
  target_is_no_nested_region();
  return 0;
}
