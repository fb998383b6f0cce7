// RUN: %each-message %t %s
// SAYS: chomp explore: data race: `account`
// SAYS:     race_of_tasks.c:13 (reads|writes) it, in the task made at race_of_tasks.c:12
// SAYS:     race_of_tasks.c:15 (reads|writes) it, in the task made at race_of_tasks.c:14
// SAYS:     Nothing orders the two tasks: no `depend` clauses of both name it, and no `taskwait` stands between.
#include <stdio.h>
static int account;
int main(void) {
#pragma omp parallel
#pragma omp single
  {
#pragma omp task
    account += 1;
#pragma omp task
    account += 2;
  }
  printf("%d\n", account > 0);
}
