// Several threads of the program begin regions at the same time, and some end while others go on.
#include "support/check.h"
#include <omp.h>
#include <pthread.h>

struct root {
  int threads;
  int members; // of its regions, all told: the system may refuse threads
};
static int in_critical;

static void* root(void* argument) {
  struct root* self = argument;
  int tasks = 0, sum = 0, members = 0;
  for (int round = 0; round < 2; round++) {
#pragma omp parallel num_threads(self->threads) shared(tasks) reduction(+ : sum, members)
    {
      members++;
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
  self->members = members;
  return 0;
}

int main(void) {
  struct root roots[4] = {{2}, {1}, {3}, {2}};
  pthread_t threads[3];
  int members = 0;
  for (int i = 0; i < 3; i++) CHECK_EQ(pthread_create(&threads[i], 0, root, &roots[i]), 0);
  root(&roots[3]);
  for (int i = 0; i < 3; i++) CHECK_EQ(pthread_join(threads[i], 0), 0);
  for (int i = 0; i < 4; i++) members += roots[i].members;
  CHECK_EQ(in_critical, members);
  return 0;
}
