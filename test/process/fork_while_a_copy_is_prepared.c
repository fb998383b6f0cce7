// fork() while another thread makes the first copy of a threadprivate variable: the child's threads have copies that
// begin with the variable's initial contents.
// UNSUPPORTED: sanitizer-thread
// RUN: %clang-openmp %s -o %t -L%lib && %for-threads -t "2 3" %t
#include "support/children.h"
#include "support/regions.h"
#include <pthread.h>
#include <string.h>

void* __kmpc_threadprivate_cached(void*, int gtid, void* variable, size_t bytes, void*** cache);
int __kmpc_global_thread_num(void*);

enum { kBytes = 2 << 20, kForks = 40, kLast = 7 };

static char* variable;
static void** cache;
static int begun;

static char* own_copy(void) {
  return __kmpc_threadprivate_cached(0, __kmpc_global_thread_num(0), variable, kBytes, &cache);
}

static void* uses_it(void* unused) {
  use_openmp(1);
  ATOMIC_STORE(begun, 1);
  char* copy = own_copy();
  CHECK_EQ(copy[0], 1);
  CHECK_EQ(copy[kBytes - 1], 1);
  return unused;
}

static void check_copies(void) {
#pragma omp parallel
  {
    char* copy = own_copy();
    CHECK_EQ(copy[0], 1);
    CHECK_EQ(copy[kBytes - 1], 1);
  }
}

int main(void) {
  use_openmp(0);
  for (int round = 0; round < kForks; round++) {
    pthread_t first;
    variable = memset(malloc(kBytes), 1, kBytes);
    cache = NULL;
    ATOMIC_STORE(begun, 0);
    CHECK_EQ(pthread_create(&first, NULL, uses_it, NULL), 0);
    SPIN_UNTIL(ATOMIC_LOAD(begun));
    usleep(round % 20 * 100);
    pid_t child = fork_checked();
    if (child == 0) {
      alarm(60);
      check_copies();
      exit(kLast);
    }
    CHECK_EQ(pthread_join(first, NULL), 0);
    expect_status(child, kLast);
  }
  return 0;
}
