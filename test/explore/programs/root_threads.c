// Several threads of the program begin regions at the same time, and some end while others go on.
#include "support/check.h"
#include <omp.h>
#include <pthread.h>

static int in_critical;

static void* root(void* argument) {
  int threads = *(int*)argument, tasks = 0, sum = 0;
  for (int round = 0; round < 2; round++) {
#pragma omp parallel num_threads(threads) shared(tasks) reduction(+ : sum)
    {
#pragma omp single nowait
      for (int i = 0; i < 3; i++)
#pragma omp task shared(tasks)
      {
#pragma omp atomic
        tasks++;
      }
#pragma omp critical
      in_critical++;
#pragma omp for schedule(dynamic)
      for (int i = 0; i < 4; i++) sum += i;
    }
  }
  CHECK_EQ(tasks, 6);
  CHECK_EQ(sum, 12);
  return 0;
}

int main(void) {
  static int sizes[3] = {2, 1, 3};
  pthread_t threads[3];
  for (int i = 0; i < 3; i++) CHECK_EQ(pthread_create(&threads[i], 0, root, &sizes[i]), 0);
  root(&sizes[0]);
  for (int i = 0; i < 3; i++) CHECK_EQ(pthread_join(threads[i], 0), 0);
  CHECK_EQ(in_critical, 2 * (2 + 2 + 1 + 3));
  return 0;
}
