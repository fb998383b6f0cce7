// Handlers of fork() that the program registered before it used OpenMP open regions, before the fork, and after it in
// the parent and in the child; so does the child of _Fork(), for which no handler runs. OpenMP was not in use before,
// or only a call was made, or regions.
// UNSUPPORTED: sanitizer-thread
// RUN: %clang-openmp %s -o %t && %for-threads -t "1 2 8" %t
// RUN: %if gomp %{ %gcc-openmp %s -o %t.gcc && %for-threads -t "1 2 8" %t.gcc %}
#include "support/children.h"
#include "support/regions.h"
#include <pthread.h>

#pragma weak _Fork
pid_t _Fork(void);

enum { kPrepare = 1, kParent = 2, kChild = 4, kAll = 7 };
enum { kUnused, kQueried, kRegions, kStates };
static int handlers;

static void prepare(void) {
  if (handlers & kPrepare) use_openmp(3);
}
static void in_parent(void) {
  if (handlers & kParent) use_openmp(3);
}
static void in_child(void) {
  if (handlers & kChild) use_openmp(3);
}

static void use(int state) {
  if (state == kQueried) CHECK(omp_get_max_threads() > 0);
  if (state == kRegions) use_openmp(3);
}

/// A process whose second generation has children too.
static void trial(int which, int state, pid_t (*split)(void), int generations) {
  handlers = which;
  use(state);
  pid_t child = split();
  CHECK(child >= 0);
  if (child == 0 && generations > 0) trial(which, state, split, generations - 1);
  use_openmp(3);
  if (child == 0) exit(7);
  expect_status(child, 7);
  exit(7);
}

int main(void) {
  CHECK_EQ(pthread_atfork(prepare, in_parent, in_child), 0);
  for (int round = 0; round < 2; round++)
    for (int which = 0; which <= kAll; which++)
      for (int state = 0; state < kStates; state++) {
        handlers = 0;
        pid_t child = fork_checked();
        if (child == 0) trial(which, state, round == 1 && _Fork ? _Fork : fork, 2);
        expect_status(child, 7);
      }
  return 0;
}
