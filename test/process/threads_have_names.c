// RUN: %clang-openmp %s -o %t && %chomp-run env OMP_NUM_THREADS=4 %t
// The threads that the runtime makes are called chomp/N, for gdb, top -H and perf; the program's own keep their names.
#include "support/check.h"
#include <omp.h>
#include <string.h>
#include <sys/prctl.h>

int main(void) {
  char before[16], after[16];
  prctl(PR_SET_NAME, "mine");
  prctl(PR_GET_NAME, before);
  int named = 0;
#pragma omp parallel reduction(+ : named)
  {
    char name[16];
    prctl(PR_GET_NAME, name);
    named += omp_get_thread_num() > 0 && strncmp(name, "chomp/", 6) == 0 && name[6] >= '1' && name[6] <= '9';
  }
  prctl(PR_GET_NAME, after);
  CHECK(named == 3);
  CHECK(strcmp(before, "mine") == 0 && strcmp(after, "mine") == 0);
  return 0;
}
