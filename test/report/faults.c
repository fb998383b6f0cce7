// Programs with one fault each, and good ones. `faults NAME` runs one; what the report says is checked by check_report.
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "support/check.h"

// Some nanoseconds a turn.
static void compute(int turns) {
  for (int i = 0; i < turns; ++i) __asm__ volatile("" : "+r"(i));
}

static void sleep_us(int us) { nanosleep(&(struct timespec){0, us * 1000}, NULL); }

static int fib(int n) {
  int x, y;
  if (n < 2) return n;
#pragma omp task shared(x) // grain-recursive
  x = fib(n - 1);
#pragma omp task shared(y)
  y = fib(n - 2);
#pragma omp taskwait
  return x + y;
}

static int fib_cut(int n) {
  int x, y;
  if (n < 2) return n;
  if (n < 18) return fib_cut(n - 1) + fib_cut(n - 2);
#pragma omp task shared(x)
  x = fib_cut(n - 1);
  y = fib_cut(n - 2);
#pragma omp taskwait
  return x + y;
}

static void chain(int depth) {
  if (depth == 0) return;
#pragma omp task // depth
  {
    compute(20000);
    chain(depth - 1);
  }
#pragma omp taskwait
}

static void small_tasks(void) {
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < 100000; ++i)
#pragma omp task // grain
    compute(5);
}

static void small_recursion(void) {
#pragma omp parallel
#pragma omp single
  CHECK_EQ(fib(23), 28657);
}

static void small_taskloop(void) {
#pragma omp parallel
#pragma omp single
#pragma omp taskloop grainsize(1) // grain-taskloop
  for (int i = 0; i < 200000; ++i) compute(3);
}

static int fib_if(int n) {
  int x, y;
  if (n < 2) return n;
#pragma omp task shared(x) if (n > 20) // grain-undeferred
  x = fib_if(n - 1);
  y = fib_if(n - 2);
#pragma omp taskwait
  return x + y;
}

static void undeferred(void) {
#pragma omp parallel
#pragma omp single
  CHECK_EQ(fib_if(24), 46368);
}

// As a loop over elements becomes when each gets a task with its dependences.
static void one_maker(void) {
  static char cells[1024];
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < 300000; ++i)
#pragma omp task depend(inout : cells[i % 1024]) // hand-over
    compute(300);
}

static void uneven_loop(void) {
#pragma omp parallel for schedule(static) // imbalance
  for (int i = 0; i < 1000; ++i) compute(i < 500 ? 400000 : 100);
}

static void serial_part(void) {
#pragma omp parallel for
  for (int i = 0; i < 100; ++i) compute(1000);
  for (int i = 0; i < 100; ++i) compute(1000000);
#pragma omp parallel for
  for (int i = 0; i < 100; ++i) compute(1000);
}

static void one_lock(void) {
#pragma omp parallel for
  for (int i = 0; i < 500; ++i) {
#pragma omp critical // lock
    sleep_us(200);
  }
}

static void few_tasks(void) {
#pragma omp parallel // few-tasks
#pragma omp single
  {
#pragma omp task
    compute(200000000);
#pragma omp task
    compute(1000);
  }
}

static void dependences(void) {
  char data = 0;
#pragma omp parallel // dependences
#pragma omp single
  for (int i = 0; i < 200; ++i)
#pragma omp task depend(inout : data)
    compute(1000000);
}

// Each task makes the next one at its end, and nobody waits.
static void next_of_chain(int left) {
  compute(2000000);
  if (left == 0) return;
#pragma omp task
  next_of_chain(left - 1);
}

static void long_chain(void) {
#pragma omp parallel // span
#pragma omp single
#pragma omp task
  next_of_chain(100);
}

// One of two hundred tasks takes most of the time: that is no chain.
static void huge_task(void) {
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < 200; ++i)
#pragma omp task // huge-task
    compute(i == 10 ? 200000000 : 100000);
}

// The thread that makes the tasks has something to compute before each: that is no chain either.
static void busy_maker(void) {
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < 200; ++i) {
    compute(2000000);
#pragma omp task // busy-producer
    compute(200000);
  }
}

static void deep(void) {
#pragma omp parallel // deep
#pragma omp single
  chain(500);
}

static void good_loop(void) {
#pragma omp parallel for schedule(dynamic)
  for (int i = 0; i < 2000; ++i) compute(100000);
}

static void good_tasks(void) {
#pragma omp parallel
#pragma omp single
#pragma omp taskloop num_tasks(2000)
  for (int i = 0; i < 2000; ++i) compute(100000);
}

static void good_recursion(void) {
#pragma omp parallel
#pragma omp single
  CHECK_EQ(fib_cut(34), 5702887);
}

static const struct {
  const char* name;
  void (*run)(void);
} programs[] = {
    {"small_tasks", small_tasks},       {"small_recursion", small_recursion},
    {"small_taskloop", small_taskloop}, {"undeferred", undeferred},
    {"one_maker", one_maker},           {"uneven_loop", uneven_loop},
    {"serial_part", serial_part},       {"one_lock", one_lock},
    {"few_tasks", few_tasks},           {"dependences", dependences},
    {"long_chain", long_chain},         {"deep", deep},
    {"huge_task", huge_task},           {"busy_maker", busy_maker},
    {"good_loop", good_loop},           {"good_tasks", good_tasks},
    {"good_recursion", good_recursion},
};

int main(int count, char** words) {
  for (size_t i = 0; count > 1 && i < sizeof programs / sizeof *programs; ++i)
    if (strcmp(words[1], programs[i].name) == 0) return programs[i].run(), 0;
  return 1;
}
