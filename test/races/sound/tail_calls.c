// Without a fault: the last thing that some functions do is a call, which GCC makes a jump. The caller's variables live
// on: its tasks use them.
// RUN: %at-each-level %t %s
#include <stdio.h>

static int calls;

static __attribute__((noinline)) void note(int value) { calls += value; }
static __attribute__((noinline)) int forward(int value) {
  note(value);
  return value;
}
static __attribute__((noinline)) int down(int left, int value) {
  return left == 0 ? forward(value) : down(left - 1, value);
}

static __attribute__((noinline)) int work(int value) {
  int a = value, b = value;
#pragma omp task shared(a)
  a += 1;
  note(value);
#pragma omp task shared(b)
  b += 2;
  down(5, value);
#pragma omp taskwait
  return a + b;
}

int main(void) {
  int result = 0;
#pragma omp parallel
#pragma omp single
  result = work(3) + work(4);
  printf("%d %d\n", result, calls);
}
