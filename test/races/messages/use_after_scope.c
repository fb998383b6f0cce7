// RUN: %each-message %t %s
// OPTIONS: --any-output
// clang-format off
// SAYS: chomp explore: use after scope: a local variable
// SAYS:     use_after_scope.c:15 (reads|writes) it, in the task made at use_after_scope.c:14
// SAYS:     use_after_scope.c:(11|14|16) returns, which ends its life, in thread [0-3] of the parallel region at use_after_scope.c:18
// SAYS:     Nobody waits for the task in between: is a `taskwait` missing, or a `firstprivate`\?
// clang-format on
#include <stdio.h>
#include <string.h>
static void greet(const char* whom) {
  char name[32];
  strcpy(name, whom);
#pragma omp task shared(name)
  printf("hello %s\n", name);
}
int main(void) {
#pragma omp parallel
#pragma omp master
  greet("world");
}
