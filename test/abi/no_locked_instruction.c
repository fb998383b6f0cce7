// The path of a task that nobody steals has no locked instruction, no fence, no system call, and calls nothing outside
// the library (malloc): neither alone nor in a team of two whose other member sits in one long task. Proved by
// executing it instruction by instruction (support/step_counter.c); with real fences in place of membarrier the same
// count must find some, so it can. (A parent that finishes before its children is not on that path: it and its last
// child pay one read-modify-write each, runtime/tasks/README.md, "Counting children".)
// REQUIRES: x86_64, ptrace
// UNSUPPORTED: sanitizer-address, sanitizer-thread, checks
// RUN: %clang -O2 -Wall -Wextra %root/test/support/step_counter.c -o %t.steps
// RUN: %clang-openmp %s -o %t
// RUN: env OMP_NUM_THREADS=1 %chomp-run %t.steps none %library %t
// RUN: env OMP_NUM_THREADS=2 %chomp-run %t.steps none %library %t
// RUN: env OMP_NUM_THREADS=2 CHOMP_MEMBARRIER=0 %chomp-run %t.steps some %library %t
#include "support/check.h"
#include "support/fib.h"
#include <omp.h>

// Many tasks wait at once.
static long many_children(int count) {
  long sum = 0;
  for (int i = 0; i < count; i++) {
#pragma omp task shared(sum)
    sum += i;
  }
#pragma omp taskwait
  return sum;
}

static void work(long* sum) {
  *sum = fib_tied(10) + fib_untied(10) + many_children(100);
#pragma omp taskgroup
  {
#pragma omp task shared(sum)
    *sum += 1;
  }
}

static int sitting, may_leave;

// Occupies the other member until after the second mark.
static void sit(void) {
  ATOMIC_STORE(sitting, 1);
  SPIN_UNTIL(ATOMIC_LOAD(may_leave));
}

static void mark(void) { __asm__ volatile("int3" ::: "memory"); }

int main(void) {
  long warm = 0, counted = 0;
#pragma omp parallel
  {
#pragma omp barrier // the other member has been hungry by now
    if (omp_get_thread_num() == 0) {
      if (omp_get_num_threads() > 1) SPIN_UNTIL(ATOMIC_LOAD(sitting));
      work(&warm); // memory for the tasks is there afterwards
      mark();
      work(&counted);
      mark();
      ATOMIC_STORE(may_leave, 1);
    } else {
#pragma omp task
      sit();
#pragma omp taskwait
    }
  }
  CHECK_EQ(warm, counted);
  return 0;
}
