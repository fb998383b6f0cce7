// Without races, if one knows OpenMP's rules: tasks, dependences, taskgroups, reductions, loops, locks. Data is plain.
// With -DRACE=1 … 8 one of the things that order them is missing.
#include <omp.h>
#include <stdio.h>
#include <unistd.h>

#ifndef RACE
#define RACE 0
#endif

static int values[64];

/// At the beginning of a task or an iteration: other threads run others meanwhile. Archer sees races between threads
/// only.
static void let_others_run(void) { usleep(200); }

static int fib(int n) {
#if RACE == 1 // a task that nobody waits for writes to no frame that is gone
  static int a, b;
#else
  int a, b;
#endif
  if (n < 2) return n;
#pragma omp task shared(a)
  {
    let_others_run();
    a = fib(n - 1);
  }
#pragma omp task shared(b)
  {
    let_others_run();
    b = fib(n - 2);
  }
#if RACE != 1
#pragma omp taskwait
#endif
  return a + b;
}

static void chain(int* x, int* y) {
#pragma omp task depend(out : *x)
  {
    let_others_run();
    *x = 1;
  }
#if RACE == 2
#pragma omp task
#else
#pragma omp task depend(inout : *x)
#endif
  {
    let_others_run();
    *x += 1;
  }
#pragma omp task depend(in : *x)
  *y = *x;
#pragma omp taskwait
}

static void group(int* y) {
#if RACE == 3 // which waits for the outer task only
#pragma omp task
#else
#pragma omp taskgroup
#endif
  {
#pragma omp task
      {
#pragma omp task
          {let_others_run();
  *y += 40;
}
}
}
#if RACE == 3
#pragma omp taskwait
#endif
*y += 2;
}

static int task_sum(void) {
  int sum = 0;
#if RACE == 4
#pragma omp taskgroup
  for (int i = 0; i < 16; i++) {
#pragma omp task shared(sum) firstprivate(i)
    {
      let_others_run();
      sum += i;
    }
  }
#else
#pragma omp taskgroup task_reduction(+ : sum)
  for (int i = 0; i < 16; i++) {
#pragma omp task in_reduction(+ : sum) firstprivate(i)
    {
      let_others_run();
      sum += i;
    }
  }
#endif
  return sum;
}

int main(void) {
  int answer = 0, x = 0, y = 0, sum = 0, tasks_sum = 0, wrong = 0;
  omp_lock_t lock;
  omp_init_lock(&lock);
#pragma omp parallel num_threads(4)
  {
#pragma omp single
    answer = fib(6);
#pragma omp single
    {
      chain(&x, &y);
      group(&y);
      tasks_sum = task_sum();
    }
#if RACE == 5
#pragma omp for
#else
#pragma omp for reduction(+ : sum)
#endif
    for (int i = 0; i < 64; i++) sum += values[i] = i;
#if RACE == 6
#pragma omp for schedule(dynamic, 4) nowait
#else
#pragma omp for schedule(dynamic, 4)
#endif
    for (int i = 0; i < 64; i++) {
      let_others_run();
      values[63 - i] += 1;
    }
#if RACE != 7
#pragma omp critical
#endif
    x += 1;
#if RACE != 8
    omp_set_lock(&lock);
#endif
    y += 1;
#if RACE != 8
    omp_unset_lock(&lock);
#endif
#if RACE != 6
#pragma omp barrier
#endif
#pragma omp single
    for (int i = 0; i < 64; i++) {
#pragma omp task firstprivate(i)
      values[i] *= 2;
    }
  }
  omp_destroy_lock(&lock);
  for (int i = 0; i < 64; i++) wrong += values[i] != 2 * (i + 1);
  printf("%d %d %d %d %d\n", answer, y, sum, tasks_sum, wrong);
  return 0;
}
