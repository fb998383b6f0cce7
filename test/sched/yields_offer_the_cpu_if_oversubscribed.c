// A thread that waits by taskyield, in a team of more threads than CPUs, offers its CPU when it finds no task to run:
// what it waits for may have been dealt to a thread that has none. Where there is a task to run, no CPU is offered.
// UNSUPPORTED: sanitizer-address, sanitizer-thread
// RUN: %clang-openmp -rdynamic %s -o %t
// RUN: %chomp-run env CHOMP_SCHEDULER=hierarchical %t
// RUN: %chomp-run env CHOMP_SCHEDULER=lifo %t
// RUN: %chomp-run env CHOMP_SCHEDULER=fifo %t
// RUN: %chomp-run env CHOMP_SCHEDULER=nemesis %t
// RUN: %chomp-run env CHOMP_SCHEDULER=xqueue %t
// RUN: %chomp-run env CHOMP_SCHEDULER=xqueue-steal %t
#include "support/check.h"
#include <omp.h>
#include <sys/syscall.h>
#include <unistd.h>

static _Thread_local int counts, offered;

// The library's calls come here.
int sched_yield(void) {
  offered += counts;
  return (int)syscall(SYS_sched_yield);
}

int main(void) {
  enum { kYields = 100 };
  int threads = 4 * omp_get_num_procs(), done = 0;
#pragma omp parallel num_threads(threads)
#pragma omp masked
  {
    counts = 1;
    for (int i = 0; i < kYields; i++) {
#pragma omp taskyield
    }
    counts = 0;
    CHECK(offered >= kYields);
#pragma omp task
    ATOMIC_ADD(done, 1);
#pragma omp taskwait
  }
  CHECK_EQ(done, 1);
  return 0;
}
