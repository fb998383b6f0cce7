// A fault: an untied task asks for its thread, makes a task, and may go on on another thread.
// RUN: %chomp-cc %s -o %t
// RUN: not %chomp-explore %t 2>&1 | FileCheck %s
// RUN: %chomp-cc -DYIELD -O2 %s -o %t
// RUN: not %chomp-explore %t 2>&1 | FileCheck %s
// RUN: %chomp-gcc -DYIELD -O2 %s -o %t
// RUN: not %chomp-explore %t 2>&1 | FileCheck %s
// CHECK: data race: `made[{{.*}}`
// CHECK-COUNT-2: {{(read|write)}}s it, in the task made at untied_changes_thread.c:[[# @LINE + 10]]
// CHECK: An untied task may go on on another thread
#include <omp.h>
#include <stdio.h>

static int made[16][16];

int main(void) {
#pragma omp parallel num_threads(2)
  {
#pragma omp task untied
    {
      int* own = made[omp_get_thread_num()];
      ++*own;
#ifdef YIELD
#pragma omp taskyield
#else
#pragma omp task
      printf("one\n");
#endif
      ++*own;
    }
  }
}
