// Tasks with a higher priority are run before those that the thread has made itself, whichever were made first: while
// it waits for its children, for a group, in a barrier, and when it yields. (The other thread takes none: it waits
// outside of all scheduling points. Schedulers that deal tasks when they are made hand it some of the plain ones, which
// come last then.)
// RUN: %clang-openmp %s -o %t && env OMP_MAX_TASK_PRIORITY=10 OMP_NUM_THREADS=2 %for-schedulers %t
#include "support/check.h"
#include <omp.h>

enum { kPlain = 20, kUrgent = 8 };

static int order[kPlain + kUrgent], ran, other_is_here, release_other;

static void note(int what) { order[__atomic_fetch_add(&ran, 1, __ATOMIC_RELAXED)] = what; }

/// Plain tasks, then urgent ones with priorities 1, 2, …
static void make_tasks(void) {
  for (int i = 0; i < kPlain; i++)
#pragma omp task
    note(0);
  for (int i = 1; i <= kUrgent; i++)
#pragma omp task priority(i) firstprivate(i)
    note(i);
}

static void check_order(void) {
  for (int i = 0; i < kUrgent; i++) CHECK_EQ(order[i], kUrgent - i);
}

static void wait_for_children(void) {
  make_tasks();
#pragma omp taskwait
}

static void wait_for_group(void) {
#pragma omp taskgroup
  make_tasks();
}

static void yield(void) {
  make_tasks();
  while (ATOMIC_LOAD(ran) < kUrgent) {
#pragma omp taskyield
  }
  ATOMIC_STORE(release_other, 1);
#pragma omp taskwait
}

/// An urgent task turns up while a plain one runs: the next to run is that.
static void made_by_a_plain_one(void) {
  for (int i = 0; i < kPlain; i++)
#pragma omp task firstprivate(i)
  {
    note(0);
    if (ATOMIC_LOAD(ran) == 1) {
#pragma omp task priority(5)
      note(5);
    }
  }
#pragma omp taskwait
  CHECK_EQ(order[1], 5);
}

static void with_two_threads(void (*body)(void)) {
  ran = other_is_here = release_other = 0;
#pragma omp parallel num_threads(2)
  {
    if (omp_get_thread_num() == 0) {
      SPIN_UNTIL(ATOMIC_LOAD(other_is_here)); // before, it may take a task and give it back as one that is too early
      body();
      ATOMIC_STORE(release_other, 1);
    } else {
      ATOMIC_STORE(other_is_here, 1);
      SPIN_UNTIL(ATOMIC_LOAD(release_other));
    }
  }
}

int main(void) {
  with_two_threads(wait_for_children);
  check_order();
  with_two_threads(wait_for_group);
  check_order();
  with_two_threads(yield);
  check_order();
  with_two_threads(made_by_a_plain_one);
  return 0;
}
