// On request: two critical sections, or two atomics, whose order nobody fixes and which do not commute. Sums do, and so
// do sections that a wait, a dependence or a barrier orders. Without the option none is looked for.
// RUN: %chomp-cc %s -o %t
// RUN: not %chomp-explore --runs 50 --determinacy --any-output %t locks 2>&1 | FileCheck --check-prefix=LOCKS %s
// LOCKS: undetermined order: `last`
// LOCKS-NEXT: determinacy.c:{{[0-9]+}} writes it, in the task made at determinacy.c
// LOCKS-NEXT: determinacy.c:{{[0-9]+}} writes it, in the task made at determinacy.c
// LOCKS-NEXT: nothing fixes which comes first
// LOCKS: Again: chomp explore --replay {{[0-9]+}} --determinacy
// RUN: not %chomp-explore --runs 50 --determinacy --any-output %t reads 2>&1 | FileCheck --check-prefix=READS %s
// READS: undetermined order: `sum`
// READS: reads it
// RUN: not %chomp-explore --runs 50 --determinacy --any-output %t atomics 2>&1 | FileCheck --check-prefix=ATOMICS %s
// ATOMICS: undetermined order: `last`
// ATOMICS: updates it atomically
// RUN: %chomp-explore --runs 100 --seconds 0 --determinacy %t 2>&1 | grep 'nothing found'
// RUN: %chomp-explore --runs 100 --seconds 0 --any-output %t locks 2>&1 | grep 'nothing found'
#include <stdio.h>
#include <string.h>

static int sum, last, seen, bits;

static void set_last(int to) {
#pragma omp critical(one)
  last = to;
}

static void add(int what) {
#pragma omp critical(two)
  sum += what;
}

int main(int count, char** arguments) {
  const char* how = count > 1 ? arguments[1] : "";
#pragma omp parallel num_threads(2)
#pragma omp single
  {
    for (int i = 0; i < 3; ++i) {
#pragma omp task firstprivate(i)
      {
        add(i);
#pragma omp atomic
        bits |= 1 << i;
      }
    }
    if (strcmp(how, "reads") == 0) {
#pragma omp critical(two)
      seen = sum;
    }
    if (strcmp(how, "locks") == 0) {
#pragma omp task
      set_last(1);
#pragma omp task
      set_last(2);
    }
    if (strcmp(how, "atomics") == 0) {
#pragma omp task
#pragma omp atomic write
      last = 1;
#pragma omp task
#pragma omp atomic write
      last = 2;
    }
#pragma omp taskwait
    set_last(3);
#pragma omp task depend(out : seen)
    set_last(4);
#pragma omp task depend(in : seen)
    set_last(5);
  }
  printf("%d %d %d %d\n", sum, last, seen, bits);
}
