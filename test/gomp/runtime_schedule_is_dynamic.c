// schedule(runtime) means dynamic,1 in GCC's code where nobody has said what, as its manual says, and omp_get_schedule
// answers so; what OMP_SCHEDULE or omp_set_schedule says holds. Clang's code has static, as on libomp.
// REQUIRES: gomp
// RUN: %gcc-openmp %s -o %t && %for-threads -t "2 3 8" %t dynamic
// RUN: env OMP_SCHEDULE=nonsense %for-threads -t "3" %t dynamic
// RUN: env OMP_SCHEDULE=static %for-threads -t "2 3" %t static
// RUN: %clang-openmp %s -o %t.clang && %for-threads -t "2 3" %t.clang static
#include "support/check.h"
#include <omp.h>
#include <string.h>

static int owner[64], begun;

static void check_schedule(omp_sched_t kind, int chunk) {
  omp_sched_t kind_now;
  int chunk_now;
  omp_get_schedule(&kind_now, &chunk_now);
  CHECK_EQ(kind_now, kind);
  CHECK_EQ(chunk_now, chunk);
}

// The first iteration waits for the second, which only another thread can execute meanwhile.
static void check_dynamic(void) {
  begun = 0;
#pragma omp parallel
  {
    check_schedule(omp_sched_dynamic, 1);
#pragma omp for ordered schedule(runtime)
    for (int i = 0; i < 64; i++) {
      __atomic_fetch_add(&begun, 1, __ATOMIC_RELEASE);
      if (i == 0) SPIN_UNTIL(__atomic_load_n(&begun, __ATOMIC_ACQUIRE) > 1);
#pragma omp ordered
      CHECK(i >= 0);
    }
  }
}

static void check_static(void) {
#pragma omp parallel
  {
    check_schedule(omp_sched_static, 0);
#pragma omp for schedule(runtime)
    for (int i = 0; i < 64; i++) owner[i] = omp_get_thread_num();
  }
  for (int i = 1; i < 64; i++) CHECK(owner[i] == owner[i - 1] || owner[i] == owner[i - 1] + 1);
  CHECK_EQ(owner[63], omp_get_max_threads() - 1);
}

int main(int count, char** arguments) {
  CHECK_EQ(count, 2);
  strcmp(arguments[1], "dynamic") == 0 ? check_dynamic() : check_static();
  omp_set_schedule(omp_sched_static, 0);
  check_static();
  omp_set_schedule(omp_sched_guided, 3);
  check_schedule(omp_sched_guided, 3);
  return 0;
}
