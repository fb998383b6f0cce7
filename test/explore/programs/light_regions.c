// CHOMP_NESTED=light: a thread of the program and main() begin inner regions at the same time, on two CPUs. Members
// meet at barriers, wait for tasks that others run and for locks that members on other kernel threads hold. Then the
// thread ends, and its team with all light threads is left to the next one.
#include <omp.h>
#include <pthread.h>
#include <stdlib.h>

#include "support/check.h"

static int in_critical, members; // the system may refuse threads

static void inner(int asked) {
  int seen[3] = {0}, size = 0, sum = 0;
#pragma omp parallel num_threads(asked) shared(seen, size, sum)
  {
    int self = omp_get_thread_num();
    if (self == 0) size = omp_get_num_threads();
    seen[self] = 1;
#pragma omp atomic
    members++;
#pragma omp barrier
    for (int i = 0; i < size; i++) CHECK_EQ(seen[i], 1);
#pragma omp critical
    in_critical++;
#pragma omp task shared(sum)
    {
#pragma omp atomic
      sum++;
    }
    if (self == size - 1) {
#pragma omp task shared(sum)
      {
#pragma omp atomic
        sum++;
      }
#pragma omp taskwait
    }
#pragma omp for schedule(dynamic)
    for (int i = 0; i < 4; i++) {
#pragma omp atomic
      sum++;
    }
  }
  CHECK_EQ(sum, size + 1 + 4);
}

static void* root(void* unused) {
  omp_set_max_active_levels(2);
#pragma omp parallel num_threads(2)
  {
    inner(3);
    inner(2);
  }
  return unused;
}

int main(void) {
  setenv("CHOMP_NESTED", "light", 1); // the runtime reads them at the first construct
  setenv("OMP_PLACES", "{0:2}", 1);   // so that two threads take all CPUs
  setenv("OMP_PROC_BIND", "true", 1);
  pthread_t thread;
  CHECK_EQ(pthread_create(&thread, 0, root, 0), 0);
  root(0);
  CHECK_EQ(pthread_join(thread, 0), 0);
  root(0);
  CHECK_EQ(in_critical, members);
  return 0;
}
