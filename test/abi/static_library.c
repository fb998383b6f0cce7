// RUN: %clang %s -fopenmp -static -L%lib -o %t.static 2>%t.said && test ! -s %t.said
// RUN: %t.static && env OMP_NUM_THREADS=4 CHOMP_SCHEDULER=steal %t.static
// RUN: %clang %s -fopenmp -c -o %t.o && %clang %t.o %lib/libomp.a -pthread -o %t.dynamic && %t.dynamic
// RUN: sh -c 'ldd %t.dynamic; true' | not grep -E "lib(omp|gomp|iomp5)"
// RUN: %if gomp %{ gcc %s -fopenmp -c -o %t.gcc.o && gcc -static %t.gcc.o %lib/libomp.a -pthread -o %t.gcc 2>%t.said && test ! -s %t.said && %t.gcc %}
// RUN: %if gomp %{ gcc -static-pie -fPIE %s -fopenmp -c -o %t.pie.o && gcc -static-pie %t.pie.o %lib/libomp.a -pthread -o %t.pie && %t.pie %}
// REQUIRES: static-library
// A program that is linked with libomp.a, also with -static, by Clang and by GCC, runs on chomp: tasks, loops, locks,
// a forked child. The linker has nothing to say: nothing is opened at run time.
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

extern const char* chomp_version(void);

static long fib(int n) {
  if (n < 2) return n;
  long a, b;
#pragma omp task shared(a)
  a = fib(n - 1);
#pragma omp task shared(b)
  b = fib(n - 2);
#pragma omp taskwait
  return a + b;
}

static void work(void) {
  long result = 0, sum = 0;
  omp_lock_t lock;
  omp_init_lock(&lock);
#pragma omp parallel
  {
#pragma omp single
    result = fib(18);
#pragma omp for schedule(dynamic, 3)
    for (int i = 0; i < 1000; i++) {
      omp_set_lock(&lock);
      sum += i;
      omp_unset_lock(&lock);
    }
  }
  omp_destroy_lock(&lock);
  if (result != 2584 || sum != 499500) exit(1);
}

int main(void) {
  if (chomp_version() == NULL || omp_get_num_devices() != 0) return 1;
  work();
  pid_t child = fork();
  if (child == 0) {
    work();
    _exit(0);
  }
  int status;
  return waitpid(child, &status, 0) != child || status != 0;
}
