// In gdb, `chomp regions` says which parallel regions are around each thread, with lines; `chomp icvs` which settings
// hold there; `chomp bt` the program's frames alone, and of a task, which one made it. Of a process and of a core file.
// REQUIRES: gdb, x86_64, ptrace
// UNSUPPORTED: sanitizer-address, sanitizer-thread
// RUN: %clang-openmp -O0 %s -o %t
// RUN: rm -f %t.core && %library-path OMP_NUM_THREADS=2 OMP_SCHEDULE=dynamic,7 OMP_MAX_ACTIVE_LEVELS=2 timeout 100 gdb -nx -batch -ex "set debuginfod enabled off" -ex "source %root/tools/shipped/gdb/chomp-gdb.py" -ex "break stop_here" -ex run -ex "chomp regions" -ex "chomp icvs" -ex "chomp bt" -ex "generate-core-file %t.core" %t > %t.out 2>&1
// RUN: %library-path OMP_NUM_THREADS=2 OMP_SCHEDULE=dynamic,7 OMP_MAX_ACTIVE_LEVELS=2 timeout 100 gdb -nx -batch -ex "set debuginfod enabled off" -ex "source %root/tools/shipped/gdb/chomp-gdb.py" -ex "chomp regions" -ex "chomp icvs" -ex "chomp bt" %t %t.core > %t.post 2>&1
// RUN: rm -f %t.core
// RUN: grep -cE "^  thread 1 in region of 2, inner.omp_outlined at gdb_commands_show_regions.c:[0-9]+" %t.out | grep -x 1
// RUN: grep -cE "^  thread 1 in region of 2, main.omp_outlined at gdb_commands_show_regions.c:[0-9]+" %t.out | grep -x 2
// RUN: grep -cE "^  thread 0 in the sequential part" %t.out | grep -x 3
// RUN: grep -cE "^chomp/[0-2]: nthreads 2, .*max-active-levels 2, .*run-sched dynamic,7," %t.out | grep -x 2
// RUN: grep -cE "^chomp/2: nthreads 5, " %t.out | grep -x 1
// RUN: grep -cE "a task, made by \.?omp_task_entry.* at gdb_commands_show_regions.c:[0-9]+" %t.out | grep -x 1
// RUN: grep -cE "a task, made by implicit task of the region" %t.out | grep -x 1
// RUN: grep -cE "thread 1 of the region of 2, inner.omp_outlined at gdb_commands_show_regions.c:[0-9]+, begun by chomp/1" %t.out | grep -x 1
// RUN: grep -cE "^  #[0-9]+ +main at gdb_commands_show_regions.c:[0-9]+" %t.out | grep -x 1
// RUN: not grep -E "^  #.*(chomp::|__kmpc)" %t.out
// RUN: grep -cE "^  thread 1 in region of 2, inner.omp_outlined at gdb_commands_show_regions.c:[0-9]+" %t.post | grep -x 1
// RUN: grep -cE "^  thread 1 in region of 2, main.omp_outlined at gdb_commands_show_regions.c:[0-9]+" %t.post | grep -x 2
// RUN: grep -cE "^  thread 0 in the sequential part" %t.post | grep -x 3
// RUN: grep -cE "^chomp/[0-2]: nthreads 2, .*max-active-levels 2, .*run-sched dynamic,7," %t.post | grep -x 2
// RUN: grep -cE "^chomp/2: nthreads 5, " %t.post | grep -x 1
// RUN: grep -cE "a task, made by \.?omp_task_entry.* at gdb_commands_show_regions.c:[0-9]+" %t.post | grep -x 1
// RUN: grep -cE "a task, made by implicit task of the region" %t.post | grep -x 1
// RUN: grep -cE "thread 1 of the region of 2, inner.omp_outlined at gdb_commands_show_regions.c:[0-9]+, begun by chomp/1" %t.post | grep -x 1
// RUN: grep -cE "^  #[0-9]+ +main at gdb_commands_show_regions.c:[0-9]+" %t.post | grep -x 1
// RUN: not grep -E "^  #.*(chomp::|__kmpc)" %t.post
#include <omp.h>

static __attribute__((noinline)) void stop_here(void) { __asm__ volatile(""); }

static __attribute__((noinline)) void inner(void) {
#pragma omp parallel num_threads(2) // the inner region
  {
    if (omp_get_thread_num() == 1) {
#pragma omp task if (0) // the maker
      {
        omp_set_num_threads(5);
#pragma omp task if (0) // the task
        stop_here();
      }
    }
#pragma omp barrier
  }
}

int main(void) {
#pragma omp parallel num_threads(2) // the outer region
  {
    if (omp_get_thread_num() == 1) inner();
#pragma omp barrier
  }
  return 0;
}
