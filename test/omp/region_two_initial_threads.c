// Two threads that OpenMP did not make fork regions at the same time, with tasks in them: each has its own team, its
// own answers, and no task crosses over.
// RUN: %clang-openmp %s -o %t && %for-threads -t "1 2 3 8" %t
#include "support/check.h"
#include <omp.h>
#include <pthread.h>

static long tree(int depth, const int* owner, int id) {
  CHECK_EQ(*owner, id);
  if (depth == 0) return 1;
  long a = 0, b = 0;
#pragma omp task shared(a)
  a = tree(depth - 1, owner, id);
#pragma omp task untied shared(b)
  b = tree(depth - 1, owner, id);
#pragma omp taskwait
  return a + b;
}

static int owner_of_thread;
#pragma omp threadprivate(owner_of_thread)

static void* initial_thread(void* argument) {
  int id = (int)(long)argument;
  for (int round = 0; round < SCALED(16); round++) {
    int threads = 0;
    long leaves = 0;
#pragma omp parallel reduction(+ : threads)
    {
      owner_of_thread = id;
      threads++;
      CHECK_EQ(omp_get_level(), 1);
#pragma omp barrier
#pragma omp single
      leaves = tree(6, &id, id);
      CHECK_EQ(owner_of_thread, id); // a worker serves one team at a time
    }
    CHECK_EQ(threads, omp_get_max_threads());
    CHECK_EQ(leaves, 64);
  }
  return 0;
}

int main(void) {
  pthread_t threads[3];
  for (long i = 0; i < 3; i++) CHECK_EQ(pthread_create(&threads[i], 0, initial_thread, (void*)(i + 1)), 0);
  initial_thread((void*)9);
  for (int i = 0; i < 3; i++) pthread_join(threads[i], 0);
  return 0;
}
