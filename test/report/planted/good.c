// Programs of which nothing is to be said.
#include "planted.h"

PROGRAM(good_static_loop) {
  for (int round = 0; round < 5; ++round)
#pragma omp parallel for schedule(static)
    for (int i = 0; i < 1000; ++i) compute_us(60);
}

PROGRAM(good_dynamic_loop) {
#pragma omp parallel for schedule(dynamic)
  for (int i = 0; i < 3000; ++i) compute_us(i % 7 == 0 ? 300 : 60);
}

// Chunks of one iteration cost little.
PROGRAM(good_tiny_chunks) {
#pragma omp parallel for schedule(dynamic, 1)
  for (int i = 0; i < 3000000; ++i) compute_us(0.005);
}

PROGRAM(good_taskloop) {
#pragma omp parallel
#pragma omp single
#pragma omp taskloop num_tasks(1000)
  for (int i = 0; i < 1000; ++i) compute_us(200);
}

static int fib(int n) {
  int x, y;
  if (n < 2) return n;
  if (n < 18) return fib(n - 1) + fib(n - 2);
#pragma omp task shared(x)
  x = fib(n - 1);
  y = fib(n - 2);
#pragma omp taskwait
  return x + y;
}

PROGRAM(good_recursion) {
#pragma omp parallel
#pragma omp single
  fib(35);
}

PROGRAM(good_producer) {
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < 1000; ++i) {
    compute_us(5);
#pragma omp task
    compute_us(200);
  }
}

// Sixteen chains beside one another.
PROGRAM(good_dependences) {
  static double rows[16];
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < 1600; ++i)
#pragma omp task depend(inout : rows[i % 16])
  {
    compute_us(120);
    rows[i % 16] += i;
  }
}

PROGRAM(good_regions) {
  double sum = 0;
  for (int i = 0; i < 100; ++i) {
#pragma omp parallel for reduction(+ : sum) schedule(dynamic, 4)
    for (int j = 0; j < 100; ++j) {
      compute_us(20);
      sum += j;
    }
    compute_us(20);
  }
}

PROGRAM(good_critical) {
  long hits = 0;
#pragma omp parallel for schedule(dynamic, 10)
  for (int i = 0; i < 2000; ++i) {
    compute_us(100);
    if (i % 10 != 0) continue;
#pragma omp critical
    ++hits;
  }
}

PROGRAM(good_steps) {
#pragma omp parallel
  for (int i = 0; i < 100; ++i) {
#pragma omp for schedule(dynamic, 1)
    for (int j = 0; j < 40; ++j) compute_us(50);
#pragma omp single
    compute_us(10);
  }
}
