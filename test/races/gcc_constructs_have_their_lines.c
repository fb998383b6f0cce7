// Of GCC's code, too, a report names each task by the line of its construct: GCC gives the calls that make them no line
// of their own, so that the first of them had the line of what comes before.
// REQUIRES: gomp
// RUN: %chomp-gcc -O1 %s -o %t && not %chomp-explore %t 2>&1 | FileCheck %s
// RUN: %chomp-gcc -O2 %s -o %t && not %chomp-explore %t 2>&1 | FileCheck %s
// CHECK-NOT: in the task made at {{.*}}.c:{{1[0-9]|2[02468]}}{{$}}
// CHECK-DAG: in the task made at gcc_constructs_have_their_lines.c:21
// CHECK-DAG: in the task made at gcc_constructs_have_their_lines.c:23
// CHECK-DAG: in the task made at gcc_constructs_have_their_lines.c:25
#include <stdio.h>

static int x;
#define add(n) x += (n)

int main(int argc, char** argv) {
#pragma omp parallel num_threads(2)
#pragma omp single
  for (int i = 0; i < 3; i++) {
    // The lines are those above.

#pragma omp task
    add(1);
#pragma omp task final(argc > 5)
    add(2);
#pragma omp task untied
    add(3);
  }
  printf("%d\n", x);
  return 0;
}
