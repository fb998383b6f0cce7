// Far more threads than CPUs, every one creating, waiting, yielding, locking and meeting at barriers at once.
// RUN: %clang-openmp %s -o %t && %for-threads -t "33" %t
// RUN: env OMP_WAIT_POLICY=active %for-threads -t "9" %t
// RUN: env OMP_WAIT_POLICY=passive %for-threads -t "33" %t
// RUN: env KMP_BLOCKTIME=0 %for-threads -t "33" %t
#include "support/check.h"
#include "support/random.h"
#include <omp.h>
#include <time.h>

static long made, ran;

static void burst(uint64_t id, int depth) {
  ATOMIC_ADD(ran, 1);
  for (int i = 0; i < 3 && depth > 0; i++) {
    uint64_t next = random_hash(id + (uint64_t)i);
    ATOMIC_ADD(made, 1);
    if (next % 3 == 0)
#pragma omp task untied firstprivate(next, depth)
      burst(next, depth - 1);
    else
#pragma omp task firstprivate(next, depth)
      burst(next, depth - 1);
    if (next % 5 == 0) {
#pragma omp taskwait
    }
    if (next % 7 == 0) {
#pragma omp taskyield
    }
  }
}

int main(void) {
  uint64_t seed = random_seed();
  long counter = 0;
  int rounds = SCALED(80) * stress_factor();
#pragma omp parallel
  for (int round = 0; round < rounds; round++) {
    uint64_t id = random_hash(seed + (uint64_t)(round * 100 + omp_get_thread_num()));
    if (id % 16 == 0) nanosleep(&(struct timespec){.tv_nsec = 100000}, 0); // lets the others fall asleep
    ATOMIC_ADD(made, 1);
    burst(id, (int)(id >> 8 & 3));
#pragma omp critical
    counter++;
    if (round % 4 == 0) {
#pragma omp barrier
    }
#pragma omp single nowait
    burn(1000);
  }
  CHECK_EQ(ran, made);
  CHECK(counter > 0 && counter % rounds == 0);
  return 0;
}
