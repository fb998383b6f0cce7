// The recursion of Fibonacci numbers, with a task for each call.
#pragma once

static inline long fib_serial(int n) { return n < 2 ? n : fib_serial(n - 1) + fib_serial(n - 2); }

static inline long fib_tied(int n) {
  long a, b;
  if (n < 2) return n;
#pragma omp task shared(a)
  a = fib_tied(n - 1);
#pragma omp task shared(b)
  b = fib_tied(n - 2);
#pragma omp taskwait
  return a + b;
}

static inline long fib_untied(int n) {
  long a, b;
  if (n < 2) return n;
#pragma omp task untied shared(a)
  a = fib_untied(n - 1);
#pragma omp task untied shared(b)
  b = fib_untied(n - 2);
#pragma omp taskwait
  return a + b;
}
