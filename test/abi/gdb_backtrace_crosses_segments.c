// In a debugger the stack of a task that runs on a fresh segment goes on through the tasks below it, to main() or to
// the start of the thread.
// REQUIRES: gdb, x86_64, ptrace
// UNSUPPORTED: sanitizer-address, sanitizer-thread
// RUN: %clang-openmp -O0 %s -o %t
// RUN: %library-path OMP_NUM_THREADS=2 OMP_STACKSIZE=256K timeout 100 gdb -nx -batch -ex "set debuginfod enabled off" -ex "break deepest" -ex run -ex bt --args %t 0 > %t.primary 2>&1
// RUN: grep -c " nest (" %t.primary | grep -x 401
// RUN: grep __morestack %t.primary
// RUN: grep -E "^#[0-9]+ .* main " %t.primary
// RUN: %library-path OMP_NUM_THREADS=2 OMP_STACKSIZE=256K timeout 100 gdb -nx -batch -ex "set debuginfod enabled off" -ex "break deepest" -ex run -ex bt --args %t 1 > %t.other 2>&1
// RUN: grep -c " nest (" %t.other | grep -x 401
// RUN: grep __morestack %t.other
// RUN: grep -E "^#[0-9]+ .* (start_thread|clone3?) " %t.other
#include "support/check.h"
#include <omp.h>

static __attribute__((noinline)) void deepest(void) { __asm__ volatile(""); }

static void nest(int depth) {
  volatile char frame[30000]; // 401 frames of this size are more than a main thread's usual 8 MB
  frame[0] = (char)depth;
  if (depth == 0) return deepest();
#pragma omp task
  nest(depth - 1);
#pragma omp taskwait
  frame[1] = frame[0];
}

int main(int argc, char** argv) {
  int who = argc > 1 ? atoi(argv[1]) : 0;
  int done = 0; // the other member is busy until then, so that no task of the chain is stolen
#pragma omp parallel shared(done)
  if (omp_get_thread_num() == who) {
    nest(400);
    __atomic_store_n(&done, 1, __ATOMIC_RELEASE);
  } else {
    while (!__atomic_load_n(&done, __ATOMIC_ACQUIRE)) {
    }
  }
  return 0;
}
