// A thread that runs ahead of another one, from nowait loop to nowait loop, waits at last, since no runtime has room
// for any number of loops; if that takes long, it sleeps. All loops are whole in the end. libomp 19 never sleeps there.
// RUN: %clang-openmp %s -o %t && %for-threads -t "2 3 8" %t
#include "support/check.h"
#include <omp.h>
#include <time.h>

enum { kLoops = 60, kIterations = 40 };
static int done[kLoops];

static double cpu_ms(void) {
  struct timespec now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return (double)now.tv_sec * 1e3 + (double)now.tv_nsec / 1e6;
}

int main(void) {
#pragma omp parallel
  {
    double before = cpu_ms();
    if (omp_get_thread_num() == 0) usleep(400000);
    for (int loop = 0; loop < kLoops; loop++) {
#pragma omp for schedule(dynamic) nowait
      for (int i = 0; i < kIterations; i++) ATOMIC_ADD(done[loop], 1);
    }
    CHECK(cpu_ms() - before < 200);
  }
  for (int loop = 0; loop < kLoops; loop++) CHECK_EQ(done[loop], kIterations);
  return 0;
}
