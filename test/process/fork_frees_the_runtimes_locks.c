// What threads that do not exist in the child of a fork() had locked inside the runtime is free there, whether or not
// the thread that forks is known to OpenMP.
// UNSUPPORTED: sanitizer-thread
// RUN: %clang-openmp %s -o %t && %for-threads -t "1 2 3" %t
#include "support/children.h"
#include "support/regions.h"
#include <pthread.h>

void GOMP_atomic_start(void);
void GOMP_atomic_end(void);

static int held, release_it;

static void* holds_atomics(void* unused) {
  GOMP_atomic_start();
  ATOMIC_STORE(held, 1);
  SPIN_UNTIL(ATOMIC_LOAD(release_it));
  GOMP_atomic_end();
  return unused;
}

static void* forks(void* unused) {
  pid_t child = fork_checked();
  if (child == 0) {
    GOMP_atomic_start();
    GOMP_atomic_end();
    use_openmp(2);
    exit(7);
  }
  expect_status(child, 7);
  return unused;
}

int main(void) {
  use_openmp(2); // the handlers of fork() are there once the runtime has started
  pthread_t holder, stranger;
  CHECK_EQ(pthread_create(&holder, NULL, holds_atomics, NULL), 0);
  SPIN_UNTIL(ATOMIC_LOAD(held));
  forks(NULL);
  CHECK_EQ(pthread_create(&stranger, NULL, forks, NULL), 0);
  CHECK_EQ(pthread_join(stranger, NULL), 0);
  ATOMIC_STORE(release_it, 1);
  CHECK_EQ(pthread_join(holder, NULL), 0);
  return 0;
}
