// The tables of `chomp report` begin with what takes most, and the median of a construct's tasks is told as what it is,
// not exact: half of the tasks are shorter than the power of two above it, and half longer than the one below.
// UNSUPPORTED: sanitizer-address, sanitizer-thread
// RUN: %clang-openmp %s -o %t && env CHOMP_RECORD=%t.rec %chomp-run %t
// RUN: %python %S/check_tables %build %t.rec
// Without debug information the function stays, too.
// RUN: %clang-openmp -g0 %s -o %t.plain && env CHOMP_RECORD=%t.rec %chomp-run %t.plain
// RUN: %lib/../bin/chomp report --from %t.rec > %t.said && grep -cE "^  main \.\.[a-z.]+[+]0x[0-9a-f]+ .* ~" %t.said | grep -x 3
#include <omp.h>

static volatile double sink;

static void compute(int steps) {
  for (int i = 0; i < steps; i++) sink = sink * 0.5 + i;
}

int main(void) {
#pragma omp parallel num_threads(2)
#pragma omp single
  for (int i = 0; i < 300; i++) {
#pragma omp task
    compute(5000);
#pragma omp task
    compute(80000);
#pragma omp task
    compute(20000);
  }
#pragma omp parallel for num_threads(2)
  for (int i = 0; i < 4; i++) compute(100);
#pragma omp parallel num_threads(2)
#pragma omp critical
  compute(10000);
  return 0;
}
