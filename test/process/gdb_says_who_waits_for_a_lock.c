// In gdb, `chomp threads` says of a thread that sleeps in a lock of the program's that it does.
// REQUIRES: gdb, x86_64, ptrace
// UNSUPPORTED: sanitizer-address, sanitizer-thread
// RUN: %clang-openmp -O0 %s -o %t
// RUN: %library-path OMP_NUM_THREADS=3 timeout 100 gdb -nx -batch -ex "set debuginfod enabled off" -ex "source %root/tools/shipped/gdb/chomp-gdb.py" -ex "break look" -ex run -ex "chomp threads" %t > %t.out 2>&1
// RUN: grep -E "^chomp/[0-2] .*, awake, in look at gdb_says" %t.out
// RUN: grep -cE "^chomp/[0-2] .*, asleep, wants a lock, in .*omp_outlined.* at gdb_says" %t.out | grep -x 2
#include "support/undisturbed.h"
#include <omp.h>

static __attribute__((noinline)) void look(void) { __asm__ volatile(""); }

int main(void) {
  static omp_lock_t lock;
  int first = 1, arrived = 0;
  omp_init_lock(&lock);
#pragma omp parallel
  {
    ATOMIC_ADD(arrived, 1);
    omp_set_lock(&lock);
    if (first) {
      first = 0;
      SPIN_UNTIL(ATOMIC_LOAD(arrived) == 3 && cpu_times().ready == 1); // the others sleep, in the lock
      look();
    }
    omp_unset_lock(&lock);
  }
  return 0;
}
