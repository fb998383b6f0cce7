// What the library remembers of dependences follows the tasks that are waiting or running, not those created: neither
// old addresses nor old tasks stay, and a creator that outruns the others helps. So does what a task holds that asks
// for its handle.
// RUN: %clang-openmp -I%root %s -o %t && %for-threads %t
#include "support/check.h"
#include <sys/resource.h>

#define CHOMP_WEAK
#include "abi/chomp.h"

static long resident_kilobytes(void) {
  struct rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  return usage.ru_maxrss;
}

static char few[64], many[1 << 20];

int main(void) {
  const int tasks = SCALED(1 << 18);
  long before = 0;
#pragma omp parallel
#pragma omp single
  {
    for (int i = 0; i < tasks; i++) {
      if (i == tasks / 16) before = resident_kilobytes();
#pragma omp task depend(inout : few[i % 64])
      ;
    }
    for (int i = 0; i < tasks; i++) {
#pragma omp task depend(out : many[i]) depend(in : few[0])
      ;
    }
    for (int i = 0; i < tasks; i++) {
#pragma omp task depend(inout : few[i % 64])
      CHECK(chomp_task_self());
    }
  }
#ifndef CHOMP_SANITIZED
  CHECK(resident_kilobytes() - before < 8 << 10);
#else
  (void)before;
#endif
  return 0;
}
