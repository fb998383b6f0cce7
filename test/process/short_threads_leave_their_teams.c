// Threads of the program that use OpenMP and end, 1 to 33 at the same time, with regions of changing sizes, nested ones
// too: each region has the threads that it asks for, and all of these together are never more than those that were
// needed at one time. One thread that needs many gets them from teams that others have left behind, also where the
// process may have no more. Nothing of an ended thread's settings is left: each begins with those of the environment,
// and the threads that it gets round as it does. Children forked meanwhile use OpenMP and end.
// RUN: %clang-openmp %s -o %t -lm && %for-threads -t "1 2 3 8 33" %t
// RUN: %for-threads -t "2 8" env KMP_BLOCKTIME=0 %t
// RUN: %for-threads -t "2 8" env OMP_WAIT_POLICY=active %t
// RUN: %for-threads -t "3" env OMP_PLACES=threads OMP_PROC_BIND=close %t
// RUN: %chomp-run env KMP_DEVICE_THREAD_LIMIT=110 %t limited
// RUN: %if gomp %{ %gcc-openmp %s -o %t.gcc -lm && %for-threads -t "1 8" %t.gcc %}
#include "support/children.h"
#include "support/process.h"
#include "support/regions.h"
#include <fenv.h>
#include <pthread.h>
#include <string.h>

enum { kMost = 33 };
static int own_data;
#pragma omp threadprivate(own_data)
static int settings_threads;

struct caller {
  int size, inner;
};

static void exact_region(int size, int inner) {
  int members = 0, inner_members = 0;
#pragma omp parallel num_threads(size) reduction(+ : members, inner_members)
  {
    members++;
    own_data = omp_get_thread_num();
#pragma omp barrier
    CHECK_EQ(own_data, omp_get_thread_num());
    if (inner > 1) {
#pragma omp parallel num_threads(inner) reduction(+ : inner_members)
      inner_members++;
    }
  }
  CHECK_EQ(members, size);
  if (inner > 1) CHECK_EQ(inner_members, size * inner);
}

static void* caller(void* argument) {
  struct caller* self = argument;
  CHECK_EQ(omp_get_max_threads(), settings_threads);
  CHECK_EQ(own_data, 0);
  CHECK_EQ(fegetround(), FE_TONEAREST);
  if (self->inner > 1) omp_set_max_active_levels(2);
  if (self->size % 2) fesetround(FE_UPWARD);
  int rounding = fegetround();
#pragma omp parallel num_threads(self->size)
  CHECK_EQ(fegetround(), rounding);
  exact_region(self->size, self->inner);
  omp_set_num_threads(self->size + 1);
  return NULL;
}

static void* nothing(void* unused) { return unused; }

static void together(int count, int size, int step, int inner) {
  pthread_t threads[100];
  struct caller callers[100];
  CHECK(count <= 100);
  for (int i = 0; i < count; i++) {
    callers[i] = (struct caller){size + step * (i % 3), inner};
    CHECK_EQ(pthread_create(&threads[i], NULL, caller, &callers[i]), 0);
  }
  for (int i = 0; i < count; i++) CHECK_EQ(pthread_join(threads[i], NULL), 0);
}

static void child(void) {
  for (int round = 0; round < 3; round++) together(2, 2 + round, 0, 1);
  use_openmp(3);
  exit(0);
}

// A joined thread may be there for a moment longer.
static void expect_threads_at_most(long most) {
  for (int wait = 0; thread_count() > most && wait < 1000; wait++) nanosleep(&(struct timespec){.tv_nsec = 1000000}, 0);
  CHECK(thread_count() <= most);
}

int main(int argc, char** argv) {
  pthread_t none;
  CHECK_EQ(pthread_create(&none, NULL, nothing, NULL), 0);
  CHECK_EQ(pthread_join(none, NULL), 0);
  long first = thread_count(); // a sanitizer has begun one, too
  settings_threads = omp_get_max_threads();
  int count = settings_threads < kMost ? settings_threads : kMost;
  if (argc > 1 && strcmp(argv[1], "limited") == 0) {
    for (int round = 0; round < SCALED(16); round++) {
      together(20, 3, 0, 1); // 20 that fork and 40 others
      together(1, 100, 0, 1);
      together(10, 2, 1, 1); // 10 that fork and 19 others, all at once
    }
    return 0;
  }
  for (int round = 0; round < SCALED(64); round++) together(count, 4, 0, 1);
  expect_threads_at_most(first + count * 3);
  for (int round = 0; round < SCALED(16); round++) {
    together(count, 2, 1, 1);
    if (round % 4 == 1) {
      pid_t forked = fork_checked();
      if (forked == 0) child();
      expect_status(forked, 0);
    }
    together(count > 4 ? 4 : count, 2, 0, 2);
  }
  together(100, 4, 0, 1);
  long before = thread_count();
  together(1, 64, 0, 1);
  expect_threads_at_most(before > first + 64 ? before : first + 64);
  for (int round = 0; round < SCALED(200); round++) together(1, 4, 0, 1);
  expect_threads_at_most(before > first + 64 ? before : first + 64);
  return 0;
}
