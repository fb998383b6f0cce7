// Tasks so small that the thread that makes them could run them all before another one wakes: no thread waits long
// enough to be given any. With -DRACE=1 … 7 two accesses are not ordered. Prints the sum of what was written.
#include <stdio.h>

#ifndef RACE
#define RACE 0
#endif

static int x, y, row[40];

static void chains(void) {
#pragma omp task shared(x) depend(out : x)
  x = 1;
#if RACE == 1
#pragma omp task shared(x)
#else
#pragma omp task shared(x) depend(inout : x)
#endif
  x += 2;
#pragma omp task shared(x, y) depend(in : x) depend(out : y)
  y = x;
#if RACE == 2 // a successor of the first task, and a task that nothing holds
#pragma omp task shared(y)
#else
#pragma omp task shared(y) depend(inout : y)
#endif
  y += 1;
#pragma omp taskwait
}

static void nested(void) {
#if RACE == 3 // waits for the outer task only
#pragma omp taskwait
#else
#pragma omp taskgroup
#endif
  {
#pragma omp task shared(x)
    {
#pragma omp task shared(x)
      x = 5;
    }
  }
#pragma omp taskwait
  x += 1;
}

static void wavefront(void) {
  for (int i = 1; i < 40; i++)
#if RACE == 4
#pragma omp task firstprivate(i) depend(out : row[i])
#else
#pragma omp task firstprivate(i) depend(in : row[i - 1]) depend(out : row[i])
#endif
    row[i] = row[i - 1] + 1;
#pragma omp taskwait
}

static void beside_the_creator(void) {
#pragma omp task shared(x)
  x = 7;
#if RACE != 5
#pragma omp taskwait
#endif
  x = 8;
#pragma omp taskwait
}

static void loop(void) {
#pragma omp taskloop grainsize(1)
  for (int i = 0; i < 8; i++) {
#if RACE != 6
#pragma omp atomic
#endif
    x += i;
  }
}

static void one_behind_another(void) {
#pragma omp task shared(y)
  y = 1;
#if RACE != 7
#pragma omp taskwait
#endif
#pragma omp task shared(y)
  y = 2;
#pragma omp taskwait
}

int main(void) {
#pragma omp parallel num_threads(4)
#pragma omp single
  {
    // With a race only what has it: which thread a task is dealt to depends on how many came before.
    if (RACE <= 2) chains();
    if (RACE == 0 || RACE == 3) nested();
    if (RACE == 0 || RACE == 4) wavefront();
    if (RACE == 0 || RACE == 5) beside_the_creator();
    if (RACE == 0 || RACE == 6) loop();
    if (RACE == 0 || RACE == 7) one_behind_another();
  }
  printf("%d\n", x + y + row[39]);
  return 0;
}
