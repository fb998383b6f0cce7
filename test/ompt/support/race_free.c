// Without races, if one knows OpenMP's rules: tasks, dependences, taskgroups, reductions, loops, locks. Data is plain.
// With -DRACE one critical section is none.
#include <omp.h>
#include <stdio.h>

static int values[64];

static int fib(int n) {
  int a, b;
  if (n < 2) return n;
#pragma omp task shared(a)
  a = fib(n - 1);
#pragma omp task shared(b)
  b = fib(n - 2);
#pragma omp taskwait
  return a + b;
}

int main(void) {
  int answer = 0, x = 0, y = 0, sum = 0, wrong = 0;
#pragma omp parallel num_threads(4)
  {
#pragma omp single
    answer = fib(8);
#pragma omp single
    {
#pragma omp task depend(out : x) shared(x)
      x = 1;
#pragma omp task depend(inout : x) shared(x)
      x += 1;
#pragma omp task depend(in : x) shared(x, y)
      y = x;
#pragma omp taskwait
#pragma omp taskgroup
      {
#pragma omp task shared(y)
        {
#pragma omp task shared(y)
          y += 40;
        }
      }
      y += 2;
    }
#pragma omp for reduction(+ : sum)
    for (int i = 0; i < 64; i++) sum += values[i] = i;
#pragma omp for schedule(dynamic, 4)
    for (int i = 0; i < 64; i++) values[63 - i] += 1;
#ifndef RACE
#pragma omp critical
#endif
    x += 1;
#pragma omp barrier
#pragma omp single
    for (int i = 0; i < 64; i++) {
#pragma omp task firstprivate(i)
      values[i] *= 2;
    }
  }
  for (int i = 0; i < 64; i++) wrong += values[i] != 2 * (i + 1);
  printf("%d %d %d %d\n", answer, y, sum, wrong);
  return 0;
}
