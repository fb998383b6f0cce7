// fork() at any moment while another thread makes its first OpenMP call: the child's own first call, and the next
// fork(), work. So does a fork() that runs no handlers (_Fork).
// UNSUPPORTED: sanitizer-thread
// RUN: %clang-openmp %s -o %t && %for-threads -t "1 2 8" %t
// RUN: %if gomp %{ %gcc-openmp %s -o %t.gcc && %for-threads -t "2" %t.gcc %}
#include "support/children.h"
#include "support/regions.h"
#include <pthread.h>
#include <sys/wait.h>

#pragma weak _Fork
pid_t _Fork(void);

static int go;

static void* starts(void* unused) {
  SPIN_UNTIL(ATOMIC_LOAD(go));
  use_openmp(2);
  return unused;
}

static void* uses(void* unused) {
  use_openmp(2);
  return unused;
}

static void grandchild(void) {
  pid_t child = fork_checked();
  if (child == 0) {
    use_openmp(2);
    exit(7);
  }
  expect_status(child, 7);
}

/// A process that has not used OpenMP yet. One thread begins; the other one forks so much later.
static void trial(int delay, int without_handlers) {
  pthread_t starter, user;
  CHECK_EQ(pthread_create(&starter, NULL, starts, NULL), 0);
  usleep(1000); // it spins
  ATOMIC_STORE(go, 1);
  burn(delay);
  if (without_handlers) CHECK_EQ(pthread_join(starter, NULL), 0);
  pid_t child = without_handlers ? _Fork() : fork();
  CHECK(child >= 0);
  if (child == 0) {
    CHECK_EQ(pthread_create(&user, NULL, uses, NULL), 0); // two threads at once
    use_openmp(2);
    grandchild();
    CHECK_EQ(pthread_join(user, NULL), 0);
    exit(7);
  }
  expect_status(child, 7);
  if (!without_handlers) CHECK_EQ(pthread_join(starter, NULL), 0);
  exit(7);
}

int main(void) {
  for (int round = 0; round < SCALED(120); round++) {
    pid_t child = fork_checked();
    if (child == 0) trial(round * 5000, round % 8 == 7 && _Fork);
    expect_status(child, 7);
  }
  return 0;
}
