// Several threads of the program begin regions that have together more threads than there are CPUs: members that wait
// sleep briefly, and without the heavy fence.
#include "support/check.h"
#include <omp.h>
#include <pthread.h>
#include <stdlib.h>

enum { kCallers = 3, kMembers = 4 };

static void* caller(void* argument) {
  int* sum = argument;
  for (int round = 0; round < 3; round++) {
#pragma omp parallel num_threads(kMembers) reduction(+ : sum[ : 1])
    {
      if (round == 1) {
#pragma omp single nowait
        for (int i = 0; i < 2; i++)
#pragma omp task
          burn(1);
#pragma omp barrier
      }
      *sum += 1;
    }
  }
  return 0;
}

int main(void) {
  setenv("OMP_PLACES", "{0:4}", 1); // a team has a CPU for each of its threads, three have not
  setenv("OMP_PROC_BIND", "true", 1);
  int sums[kCallers] = {0};
  pthread_t threads[kCallers];
  for (int i = 1; i < kCallers; i++) CHECK_EQ(pthread_create(&threads[i], 0, caller, &sums[i]), 0);
  caller(&sums[0]);
  for (int i = 1; i < kCallers; i++) CHECK_EQ(pthread_join(threads[i], 0), 0);
  for (int i = 0; i < kCallers; i++) CHECK(sums[i] >= 3 && sums[i] <= 3 * kMembers);
  return 0;
}
