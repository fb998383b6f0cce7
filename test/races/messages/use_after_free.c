// RUN: %each-message %t %s
// SAYS: chomp explore: use after free: byte 0 of the 4 that were allocated at use_after_free.c:9
// SAYS:     use_after_free.c:14 (reads|writes) it, in the task made at use_after_free.c:13
// SAYS:     use_after_free.c:15 frees it, in thread [0-3] of the parallel region at use_after_free.c:10
// SAYS:     Nobody waits for the task in between: is a `taskwait` missing, or a `firstprivate`\?
#include <stdio.h>
#include <stdlib.h>
int main(void) {
  int* number = malloc(sizeof *number);
#pragma omp parallel
#pragma omp master
  {
#pragma omp task firstprivate(number)
    *number = 1;
    free(number);
  }
  puts("ok");
}
