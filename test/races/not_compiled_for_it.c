// A program that `chomp cc` has not compiled is explored in the orders of the runtime's calls: a deadlock, and an
// answer that depends on the order, are found; that races are not looked for is said.
// RUN: %clang-openmp %s -o %t
// RUN: not %chomp-explore --seconds 60 %t deadlock 2>&1 | FileCheck --check-prefix=DEADLOCK %s
// DEADLOCK: deadlock: every thread waits
// DEADLOCK: waits for a lock at not_compiled_for_it.c
// RUN: not %chomp-explore --seconds 60 %t answer 2>&1 | FileCheck --check-prefix=ANSWER %s
// ANSWER: wrong output
// RUN: %chomp-explore --runs 20 --any-output %t answer 2>&1 | FileCheck --check-prefix=NONE %s
// NONE: nothing found; races were not looked for
#include <omp.h>
#include <stdio.h>

static void two_locks(omp_lock_t* first, omp_lock_t* second) {
  omp_set_lock(first);
  omp_set_lock(second);
  omp_unset_lock(second);
  omp_unset_lock(first);
}

int main(int count, char** arguments) {
  if (count > 1 && arguments[1][0] == 'd') {
    omp_lock_t a, b;
    omp_init_lock(&a);
    omp_init_lock(&b);
#pragma omp parallel num_threads(2)
    omp_get_thread_num() == 0 ? two_locks(&a, &b) : two_locks(&b, &a);
  } else {
    int last = 0;
#pragma omp parallel num_threads(2)
#pragma omp single
    for (int i = 0; i < 4; ++i) {
#pragma omp task firstprivate(i) shared(last)
      last = i;
    }
    printf("%d\n", last);
  }
}
