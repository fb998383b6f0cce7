// In gdb, `chomp threads` says what each thread does, and `chomp tasks` which tasks it has begun and which wait; of a
// process and of a core file alike. Of GCC's tasks it names the program's function, not the one of chomp that calls it.
// REQUIRES: gdb, x86_64, ptrace
// UNSUPPORTED: sanitizer-address, sanitizer-thread
// RUN: %clang-openmp -O0 %s -o %t
// RUN: rm -f %t.core && %library-path OMP_NUM_THREADS=3 timeout 100 gdb -nx -batch -ex "set debuginfod enabled off" -ex "source %root/tools/shipped/gdb/chomp-gdb.py" -ex "break look" -ex run -ex "chomp threads" -ex "chomp tasks" -ex "generate-core-file %t.core" %t > %t.out 2>&1
// RUN: grep -E "^chomp/0 \(the program's\): gdb's 1, thread 0 of its team, awake, in look at gdb_commands" %t.out
// RUN: grep -cE "^chomp/[12] \(the runtime's\): gdb's [23], thread [12] of its team, awake, in .*omp_outlined.* at gdb_commands" %t.out | grep -x 2
// RUN: grep -cE "^  runs   .*omp_task_entry.* at gdb_commands_show_threads_and_tasks.c:[0-9]+" %t.out | grep -x 1
// RUN: grep -cE "^  waits  .*omp_task_entry.* at gdb_commands_show_threads_and_tasks.c:[0-9]+" %t.out | grep -x 2
// RUN: %library-path timeout 100 gdb -nx -batch -ex "set debuginfod enabled off" -ex "source %root/tools/shipped/gdb/chomp-gdb.py" -ex "chomp threads" -ex "chomp tasks" %t %t.core > %t.post 2>&1
// RUN: grep -cE "^chomp/[012] \(the (program|runtime)'s\): gdb's [123], thread [012] of its team, awake, in " %t.post | grep -x 3
// RUN: grep -cE "^  (runs|waits) .*omp_task_entry" %t.post | grep -x 3
// RUN: rm -f %t.core
// RUN: %if gomp %{ %gcc-openmp -O0 %s -o %t.gcc %}
// RUN: %if gomp %{ %library-path OMP_NUM_THREADS=3 timeout 100 gdb -nx -batch -ex "set debuginfod enabled off" -ex "source %root/tools/shipped/gdb/chomp-gdb.py" -ex "break look" -ex run -ex "chomp tasks" %t.gcc > %t.gcc.out 2>&1 %}
// RUN: %if gomp %{ grep -cE "^  (runs|waits)  +main\._omp_fn.* at gdb_commands_show_threads_and_tasks.c:[0-9]+" %t.gcc.out | grep -x 3 %}
#include "support/check.h"
#include <omp.h>

static __attribute__((noinline)) void look(void) { __asm__ volatile(""); }

int main(void) {
  int inside = 0, release = 0, ran = 0;
#pragma omp parallel
  {
    if (omp_get_thread_num() == 0) {
      for (int others = 0; others < omp_get_num_threads() - 1;) {
#pragma omp atomic read seq_cst
        others = inside;
      }
      for (int i = 0; i < 2; i++) { // nobody is requesting: they stay in the private deque
#pragma omp task
        {
#pragma omp atomic
          ran++;
        }
      }
#pragma omp task if (0)
      look();
#pragma omp atomic write seq_cst
      release = 1;
    } else {
#pragma omp atomic update seq_cst
      inside++;
      for (int seen = 0; !seen;) {
#pragma omp atomic read seq_cst
        seen = release;
      }
    }
  }
  CHECK(ran == 2);
  return 0;
}
