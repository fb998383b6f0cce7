// In a debugger every thread of a team has a whole stack, to main() or to the start of the thread: those that wait in a
// barrier or for tasks show the construct's own function, those that are asleep between regions what they are.
// REQUIRES: gdb, x86_64, ptrace
// UNSUPPORTED: sanitizer-address, sanitizer-thread
// RUN: %clang-openmp -O0 %s -o %t
// RUN: %library-path OMP_NUM_THREADS=3 timeout 100 gdb -nx -batch -ex "set debuginfod enabled off" -ex "break look" -ex run -ex "thread apply all bt" -ex continue -ex "thread apply all bt" %t > %t.out 2>&1
// RUN: grep -cE "^#[0-9]+ .* main " %t.out | grep -x 2
// RUN: grep -cE "^#[0-9]+ .* [_A-Z]*clone3? " %t.out | grep -x 4
// RUN: grep -cE "^Thread [0-9]+ \(" %t.out | grep -x 6
// RUN: not grep -iE "corrupt|previous frame" %t.out
#include "support/check.h"
#include <omp.h>
#include <time.h>

static __attribute__((noinline)) void look(void) { __asm__ volatile(""); }

int main(void) {
#pragma omp parallel
  {
    if (omp_get_thread_num() == 0) {
      nanosleep(&(struct timespec){.tv_nsec = 50000000}, NULL); // the others are asleep in the barrier
      look();
    }
#pragma omp barrier
  }
  nanosleep(&(struct timespec){.tv_nsec = 50000000}, NULL); // the team is asleep
  look();
  return 0;
}
