// What other people's tools look at: tasks, and memory that is allocated in them. With an argument it aborts in a task.
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

static long fib(int n, int crashes) {
  long a, b, *block = malloc(64);
  if (n < 2) return free(block), n;
  if (n == 7 && crashes) abort();
#pragma omp task shared(a)
  a = fib(n - 1, crashes);
  b = fib(n - 2, crashes);
#pragma omp taskwait
  free(block);
  return a + b;
}

int main(int argc, char** argv) {
  long result = 0;
  int threads = 0;
  if (argc > 1) printf("fib 6765, 4 threads\n"), fflush(stdout);
#pragma omp parallel
#pragma omp single
  {
    threads = omp_get_num_threads();
    result = fib(20, argc > 1);
  }
  printf("fib %ld, %d threads\n", result, threads);
  return 0;
}
