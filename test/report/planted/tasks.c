// Faults in how work is divided into tasks.
#include "planted.h"

PROGRAM(small_tasks) {
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < 200000; ++i)
#pragma omp task // small_tasks
    compute_us(0.01);
}

static int fib(int n) {
  int x, y;
  if (n < 2) return n;
#pragma omp task shared(x) // small_recursion
  x = fib(n - 1);
#pragma omp task shared(y)
  y = fib(n - 2);
#pragma omp taskwait
  return x + y;
}

PROGRAM(small_recursion) {
#pragma omp parallel
#pragma omp single
  fib(23);
}

PROGRAM(small_taskloop) {
#pragma omp parallel
#pragma omp single
#pragma omp taskloop grainsize(1) // small_taskloop
  for (int i = 0; i < 200000; ++i) compute_us(0.001);
}

static void nest(int depth) {
  if (depth == 0) return;
#pragma omp task
  {
    compute_us(10);
    nest(depth - 1);
  }
#pragma omp taskwait
}

PROGRAM(deep_nesting) {
#pragma omp parallel // deep_nesting
#pragma omp single
  nest(500);
}

// The bound stops tasks from being queued, but not from being made.
static int fib_if(int n) {
  int x, y;
  if (n < 2) return n;
#pragma omp task shared(x) if (n > 20) // cut_off_too_deep
  x = fib_if(n - 1);
  y = fib_if(n - 2);
#pragma omp taskwait
  return x + y;
}

PROGRAM(cut_off_too_deep) {
#pragma omp parallel
#pragma omp single
  fib_if(24);
}

// The bound is wrong: no task is ever left to another thread.
static void tree_if(int depth) {
  if (depth == 0) return compute_us(300);
#pragma omp task if (depth > 10) // cut_off_too_early
  tree_if(depth - 1);
#pragma omp task if (depth > 10)
  tree_if(depth - 1);
#pragma omp taskwait
}

PROGRAM(cut_off_too_early) {
#pragma omp parallel
#pragma omp single
  tree_if(9);
}

PROGRAM(large_grainsize) {
#pragma omp parallel
#pragma omp single
#pragma omp taskloop grainsize(1000) // large_grainsize
  for (int i = 0; i < 1000; ++i) compute_us(150);
}

// A thread reads something, and makes a task of it.
PROGRAM(busy_producer) {
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < 200; ++i) {
    compute_us(1000);
#pragma omp task // busy_producer
    compute_us(100);
  }
}

PROGRAM(one_huge_task) {
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < 200; ++i)
#pragma omp task // one_huge_task
    compute_us(i == 10 ? 150000 : 100);
}

// The task that takes longest has the lowest priority, and begins last.
PROGRAM(longest_has_low_priority) {
#pragma omp parallel
#pragma omp single
  {
#pragma omp task priority(0) // longest_has_low_priority
    compute_ms(100);
    for (int i = 0; i < 200; ++i)
#pragma omp task priority(1)
      compute_us(1000);
  }
}

// Each element is a task with dependences.
PROGRAM(one_maker) {
  static char cells[1024];
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < 250000; ++i)
#pragma omp task depend(inout : cells[i % 1024]) // one_maker
    compute_us(0.12);
}

PROGRAM(taskwait_in_loop) {
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < 300; ++i) {
#pragma omp task
    compute_us(500);
#pragma omp taskwait // taskwait_in_loop
  }
}

PROGRAM(taskgroup_in_loop) {
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < 300; ++i) {
#pragma omp taskgroup
    {
#pragma omp task
      compute_us(500);
    } // taskgroup_in_loop
  }
}
