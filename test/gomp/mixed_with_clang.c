// Objects of GCC and of Clang in one process are one OpenMP program: a region that one of them starts has the threads,
// numbers, barriers, loops and locks that the other one's functions see in it.
// REQUIRES: gomp
// RUN: %gcc-openmp -DGCC_HALF -c %s -o %t.gcc.o && %clang-openmp -c %s -o %t.clang.o
// RUN: %gcc-openmp %t.gcc.o %t.clang.o -o %t.by-gcc -L%lib -lomp && %for-threads %t.by-gcc
// RUN: %clang-openmp %t.gcc.o %t.clang.o -o %t.by-clang -lgomp && %for-threads %t.by-clang
#include "support/check.h"
#include "support/process.h"
#include <omp.h>

typedef struct {
  long sum, singles, critical, tasks;
  omp_lock_t lock;
} Shared;

#ifdef GCC_HALF
#define OWN(name) gcc_##name
#define OTHER(name) clang_##name
#else
#define OWN(name) clang_##name
#define OTHER(name) gcc_##name
#endif

void OWN(inside)(Shared* shared, int thread, int threads);
void OTHER(inside)(Shared* shared, int thread, int threads);
void OWN(region)(void);

/// Called by all threads of a region of the other compiler.
void OWN(inside)(Shared* shared, int thread, int threads) {
  CHECK_EQ(omp_get_thread_num(), thread);
  CHECK_EQ(omp_get_num_threads(), threads);
  long sum = 0;
#pragma omp for schedule(dynamic, 3)
  for (int i = 0; i < 100; i++) sum += i;
  ATOMIC_ADD(shared->sum, sum);
#pragma omp for schedule(guided) ordered nowait
  for (int i = 0; i < 10; i++) {
#pragma omp ordered
    shared->critical = shared->critical * 10 % 1000007 + i;
  }
#pragma omp single
  {
    shared->singles++;
    for (int i = 0; i < 20; i++) {
#pragma omp task firstprivate(shared)
      ATOMIC_ADD(shared->tasks, 1);
    }
#pragma omp taskwait
  }
#pragma omp barrier
  CHECK_EQ(ATOMIC_LOAD(shared->tasks) % 20, 0);
  omp_set_lock(&shared->lock);
  shared->singles += 1000;
  omp_unset_lock(&shared->lock);
}

/// Each construct of one compiler is followed by the other's.
void OWN(region)(void) {
  Shared shared = {0, 0, 0, 0, {0}};
  omp_init_lock(&shared.lock);
  int threads = 0;
#pragma omp parallel reduction(+ : threads) shared(shared)
  {
    int me = omp_get_thread_num(), all = omp_get_num_threads();
    for (int round = 0; round < 10; round++) {
      OWN(inside)(&shared, me, all);
#pragma omp barrier
      OTHER(inside)(&shared, me, all);
#pragma omp barrier
    }
    threads++;
  }
  CHECK_EQ(threads, omp_get_max_threads());
  CHECK_EQ(shared.sum, 20 * 4950);
  CHECK_EQ(shared.singles, 20 + 20 * 1000L * threads);
  CHECK_EQ(shared.tasks, 20 * 20);
  omp_destroy_lock(&shared.lock);
}

#ifdef GCC_HALF
void clang_region(void);
int main(void) {
  for (int round = 0; round < 20; round++) {
    gcc_region();
    clang_region();
  }
  CHECK_EQ(mapped_files("libomp", 0, 0), 1); // once, under two names
  CHECK_EQ(mapped_files("libgomp", 0, 0), 0);
  return 0;
}
#endif
