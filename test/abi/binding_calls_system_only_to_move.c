// Where affinity is disabled no thread's mask is ever touched. With a setting, each thread is bound once, at its first
// region; regions that leave all threads where they are make no system call.
// RUN: %clang-openmp %s -o %t
// RUN: env KMP_AFFINITY=disabled %library-path %t none
// RUN: env OMP_PROC_BIND=close OMP_PLACES=threads %library-path %t once
// RUN: env OMP_PROC_BIND=spread OMP_PLACES=threads %library-path %t once
// RUN: env KMP_AFFINITY=granularity=fine,compact %library-path %t once
#include "support/check.h"
#include <omp.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/syscall.h>

static atomic_int calls;

// The library's calls come here.
int sched_setaffinity(pid_t pid, size_t size, const cpu_set_t* mask) {
  calls++;
  return (int)syscall(SYS_sched_setaffinity, pid, size, mask);
}

static int threads_of_region(int threads) {
  int members = 0;
#pragma omp parallel num_threads(threads) reduction(+ : members)
  members++;
  return members;
}

int main(int argc, char** argv) {
  CHECK_EQ(argc, 2);
  int expected = strcmp(argv[1], "once") == 0;
  CHECK_EQ(threads_of_region(4), 4);
  CHECK_EQ(calls, expected * 4);
  for (int i = 0; i < 1000; i++) threads_of_region(4);
  CHECK_EQ(calls, expected * 4);
  for (int i = 0; i < 1000; i++) {
#pragma omp parallel if (0)
    CHECK_EQ(omp_get_num_threads(), 1);
  }
  CHECK_EQ(calls, expected * 4);
  return 0;
}
