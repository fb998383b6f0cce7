// A tied task ends on the thread that began it, whatever it waits for: same thread number, same threadprivate variable.
// RUN: %clang-openmp %s -o %t && %for-threads %t
#include "support/check.h"
#include <omp.h>
#include <pthread.h>

static int mine;
#pragma omp threadprivate(mine)
static _Thread_local int tls;

static void tree(int depth) {
  int number = omp_get_thread_num();
  int *private_address = &mine, *tls_address = &tls;
  pthread_t self = pthread_self();
#define SAME_THREAD()                                                                                                  \
  CHECK(omp_get_thread_num() == number && &mine == private_address && &tls == tls_address &&                           \
        pthread_equal(self, pthread_self()))
  if (depth == 0) {
    burn(100);
    return;
  }
  for (int i = 0; i < 3; i++)
#pragma omp task
    tree(depth - 1);
  SAME_THREAD();
#pragma omp taskwait
  SAME_THREAD();
#pragma omp taskgroup
  {
#pragma omp task
    tree(depth - 1);
#pragma omp task untied
    burn(100);
  }
  SAME_THREAD();
#pragma omp task
  burn(10);
#pragma omp taskyield
  SAME_THREAD();
#pragma omp task if (0)
  tree(depth - 1);
  SAME_THREAD();
}

int main(void) {
#pragma omp parallel
  {
    int number = omp_get_thread_num();
    mine = number;
#pragma omp barrier
#pragma omp single
    tree(SCALED(16) == 16 ? 6 : 4);
    CHECK_EQ(mine, number);
  }
  return 0;
}
