// CHOMP_NESTED=light: threads of the program that have inner regions in inner regions end and others begin, again and
// again. What such a thread leaves behind has no light thread that could only run on it, nor any that still waits.
// RUN: %clang-openmp %s -o %t && %for-threads -t "1 2 3 8 33" env CHOMP_NESTED=light KMP_WARNINGS=0 %t
// RUN: %for-threads -t "2" env CHOMP_NESTED=light KMP_WARNINGS=0 KMP_BLOCKTIME=0 %t
// RUN: %for-threads -t "2" env CHOMP_NESTED=light KMP_WARNINGS=0 OMP_PROC_BIND=close OMP_PLACES=threads %t
// RUN: %for-threads -t "2 8" %t
// RUN: %if gomp %{ %gcc-openmp %s -o %t.gcc && %for-threads -t "2 8" env CHOMP_NESTED=light KMP_WARNINGS=0 %t.gcc %}
#include "support/regions.h"
#include <pthread.h>

enum { kRoots = 5, kRegions = 12 };

static long outer_size(int region) { return 2 + region % 3; }
static long inner_size(int region) { return 1 + region * 5 % 7; }

static void innermost(long* visits) {
#pragma omp parallel num_threads(2)
  ATOMIC_ADD(*visits, 1);
#pragma omp task
  ATOMIC_ADD(*visits, 1);
}

static void* root(void* argument) {
  long* visits = argument;
  omp_set_max_active_levels(3);
  for (int region = 0; region < kRegions; region++) {
#pragma omp parallel num_threads(outer_size(region))
#pragma omp parallel num_threads(inner_size(region))
    {
#pragma omp barrier
      innermost(visits);
    }
  }
  return NULL;
}

int main(void) {
  long expected = 0;
  for (int region = 0; region < kRegions; region++) expected += outer_size(region) * inner_size(region) * 3;
  for (int round = 0; round < SCALED(32); round++) {
    pthread_t threads[kRoots];
    long visits[kRoots] = {0};
    for (int i = 0; i < kRoots; i++) CHECK_EQ(pthread_create(&threads[i], NULL, root, &visits[i]), 0);
    if (round % 4 == 0) use_openmp(omp_get_max_threads());
    for (int i = 0; i < kRoots; i++) CHECK_EQ(pthread_join(threads[i], NULL), 0);
    for (int i = 0; i < kRoots; i++) CHECK_EQ(visits[i], expected);
  }
  return 0;
}
