// A thread that holds a lock forks while others wait for it. They do not exist in the child, which gives the lock back
// and takes it again, also with threads of its own; the parent hands it to those that wait. Simple and nestable locks
// and critical sections, whether the others have just come, or sleep and have waited for so long that the lock is
// theirs next.
// UNSUPPORTED: sanitizer-thread
// RUN: %clang-openmp %s -o %t && %for-threads %t
#include "support/children.h"
#include "support/regions.h"
#include <pthread.h>

static omp_lock_t simple;
static omp_nest_lock_t nestable;
static long inside;
static int come;

static void take(int kind) {
  if (kind == 0) omp_set_lock(&simple);
  if (kind == 1) omp_set_nest_lock(&nestable);
}
static void give(int kind) {
  if (kind == 0) omp_unset_lock(&simple);
  if (kind == 1) omp_unset_nest_lock(&nestable);
}

/// Long enough now and then for others to queue up.
static void count_inside(int i) {
  inside++;
  if (i % 50 == 0) usleep(200);
}

static void wait_for(double us) {
  double since = omp_get_wtime();
  while (omp_get_wtime() < since + us * 1e-6) sched_yield();
}

/// What the holder does: forks, and goes on with the lock held.
static pid_t fork_inside(int kind, int wait_us) {
  wait_for(wait_us);
  pid_t child = fork_checked();
  if (child != 0) return child;
  give(kind);
  for (int i = 0; i < 3; i++) take(kind), give(kind);
  long before = inside;
#pragma omp parallel num_threads(3)
  for (int i = 0; i < 200; i++) take(kind), count_inside(i), give(kind);
  CHECK_EQ(inside, before + 3 * 200);
  use_openmp(0);
  exit(7);
}

static void* waits(void* kind) {
  ATOMIC_ADD(come, 1);
  take(*(int*)kind);
  inside++;
  give(*(int*)kind);
  return NULL;
}

static void locks(int kind, int waiters, int wait_us) {
  pthread_t threads[8];
  take(kind);
  ATOMIC_STORE(come, 0);
  for (int i = 0; i < waiters; i++) CHECK_EQ(pthread_create(&threads[i], NULL, waits, &kind), 0);
  SPIN_UNTIL(ATOMIC_LOAD(come) == waiters);
  pid_t child = fork_inside(kind, wait_us);
  give(kind);
  for (int i = 0; i < waiters; i++) CHECK_EQ(pthread_join(threads[i], NULL), 0);
  expect_status(child, 7);
}

static void critical_in_child(void) {
#pragma omp critical
  inside++;
#pragma omp parallel num_threads(3)
  for (int i = 0; i < 200; i++) {
#pragma omp critical
    count_inside(i);
  }
}

/// Each member forks inside the section that the others wait for.
static void sections(int wait_us) {
  pid_t children[64];
#pragma omp parallel
  {
#pragma omp critical
    {
      wait_for(wait_us);
      children[omp_get_thread_num()] = fork_checked();
    }
    if (children[omp_get_thread_num()] == 0) {
      long before = inside;
      critical_in_child();
      CHECK_EQ(inside, before + 1 + (long)3 * 200);
      exit(7);
    }
  }
  for (int i = 0; i < omp_get_max_threads(); i++) expect_status(children[i], 7);
}

int main(void) {
  static const int waits_us[] = {0, 10, 60, 80, 5000};
  omp_init_lock(&simple);
  omp_init_nest_lock(&nestable);
  omp_set_max_active_levels(2);
  use_openmp(0);
  int threads = omp_get_max_threads();
  for (int i = 0; i < 5; i++) {
    for (int round = 0; round < SCALED(10); round++)
      for (int kind = 0; kind < 2; kind++) locks(kind, threads < 8 ? threads : 8, waits_us[i]);
    sections(waits_us[i]);
  }
  return 0;
}
