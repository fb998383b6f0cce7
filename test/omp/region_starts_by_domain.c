// Regions over many domains, to which their start is propagated along a tree: each thread of a region runs it once,
// whatever sizes the regions before had, whether threads spin or sleep between regions, in barriers and while others
// work, and when the threads leave a team for a larger one or at the end of the thread that forked it. Tasks run once,
// also those found by a member that has not been notified of the region or of the open barrier yet.
// REQUIRES: hwloc
// RUN: %clang -O2 -Wall -Wextra -shared -fPIC %root/test/support/many_cpus.c -o %t.so -ldl
// RUN: %clang-openmp %s -o %t
// RUN: env HWLOC_SYNTHETIC="package:8 l3:4 core:1 pu:1" %for-threads -t "1 2 3 8 33 64" %t
// RUN: env HWLOC_SYNTHETIC="package:2 l3:4 core:2 pu:1" KMP_BLOCKTIME=0 %for-threads -t "2 8 33" %t
// RUN: %if !sanitizer-address && !sanitizer-thread %{ env HWLOC_SYNTHETIC="package:8 l3:1 core:1 pu:1" %for-threads -t "2 3 8" env LD_PRELOAD=%t.so %t %}
// RUN: %if !sanitizer-address && !sanitizer-thread %{ env HWLOC_SYNTHETIC="package:8 l3:1 core:1 pu:1" KMP_BLOCKTIME=0 %for-threads -t "3 8" env LD_PRELOAD=%t.so %t %}
// RUN: env HWLOC_SYNTHETIC="package:8 l3:4 core:1 pu:1" CHOMP_MEMBARRIER=0 KMP_BLOCKTIME=0 %for-threads -t "3 33" %t
#include "support/check.h"
#include "support/random.h"
#include <omp.h>
#include <pthread.h>

enum { kMostThreads = 64 };

// The phases write and read plain data of all threads: the barriers order it.
static void region(int threads, int inner, int pause) {
  static __thread int came[kMostThreads], seen[kMostThreads];
  int *arrived = came, *saw = seen; // the forking thread's
  long tasks = 0, late_tasks = 0, deep = 0;
  for (int i = 0; i < threads; i++) came[i] = seen[i] = 0;
#pragma omp parallel num_threads(threads)
  {
    int me = omp_get_thread_num();
    CHECK_EQ(omp_get_num_threads(), threads);
    arrived[me]++;
#pragma omp task shared(tasks)
    ATOMIC_ADD(tasks, 1);
    if (pause && me == 0) usleep(300); // the others fall asleep in the barrier
#pragma omp barrier
    for (int i = 0; i < threads; i++) saw[me] += arrived[i];
    // Others may still be in the barrier.
#pragma omp task shared(tasks)
    ATOMIC_ADD(tasks, 1);
    if (inner) {
#pragma omp parallel num_threads(inner)
      ATOMIC_ADD(deep, 1);
    }
#pragma omp barrier
    CHECK_EQ(ATOMIC_LOAD(tasks), 2 * threads);
#pragma omp task shared(late_tasks)
    ATOMIC_ADD(late_tasks, 1);
    if (pause && me == 0) usleep(300); // and at the end of the region
  }
  CHECK_EQ(tasks, 2 * threads);
  CHECK_EQ(late_tasks, threads);
  CHECK_EQ(deep, threads * inner);
  for (int i = 0; i < threads; i++) CHECK_EQ(saw[i], threads);
}

static void* regions(void* argument) {
  uint64_t seed = *(uint64_t*)argument;
  omp_set_max_active_levels(2); // of this initial thread
  int most = omp_get_max_threads() < kMostThreads ? omp_get_max_threads() : kMostThreads;
  for (int round = 0; round < SCALED(most > 8 ? 160 : 480) * stress_factor(); round++) {
    uint64_t random = random_hash(seed + (uint64_t)round);
    int threads = 1 + (int)(random % (unsigned)most);
    if (random >> 8 & 1) threads = 1 + threads / 8; // most domains stay out
    int inner = random >> 16 & 15 ? 0 : 2 + (int)(random >> 24 & 1);
    region(threads, threads <= 8 ? inner : 0, (random >> 32 & 7) == 0);
    if ((random >> 40 & 31) == 0) usleep(500); // the threads fall asleep between regions
  }
  return 0;
}

int main(void) {
  uint64_t seed = random_seed();
  regions(&seed);
  // Threads that end dismiss their teams, and the next one takes them over.
  for (int thread = 0; thread < 3; thread++) {
    uint64_t other = random_hash(seed + (uint64_t)thread);
    pthread_t id;
    CHECK_EQ(pthread_create(&id, 0, regions, &other), 0);
    CHECK_EQ(pthread_join(id, 0), 0);
  }
  return 0;
}
