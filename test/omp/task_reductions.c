// Reductions over tasks and taskloops.
// RUN: %clang-openmp %s -o %t && %for-threads %t
#include "support/check.h"
#include <omp.h>

// Task reductions are exact: taskgroup task_reduction with in_reduction by descendants, nested groups over one
// variable, arrays, several operators, and contributions of the creator itself.
static void count_leaves(int depth, long* leaves_out) {
  long leaves = 0;
#pragma omp taskgroup task_reduction(+ : leaves)
  {
    for (int i = 0; i < 3; i++)
#pragma omp task in_reduction(+ : leaves) firstprivate(depth)
    {
      if (depth == 1)
        leaves += 1;
      else {
        long below;
        count_leaves(depth - 1, &below);
        leaves += below;
      }
    }
  }
  *leaves_out = leaves;
}

static void reduction_exact(void) {
  enum { kTasks = 1000 };
  long sum = 10, product = 3, array[5] = {1, 2, 3, 4, 5};
  unsigned bits = 1;
  int smallest = 500, both = 1;
  double real = 0;
#pragma omp parallel
#pragma omp single
  {
#pragma omp taskgroup task_reduction(+ : sum, real) task_reduction(* : product) task_reduction(| : bits)               \
    task_reduction(min : smallest) task_reduction(&& : both) task_reduction(+ : array[0 : 5])
    {
      for (int i = 0; i < kTasks; i++)
#pragma omp task firstprivate(i) in_reduction(+ : sum, real) in_reduction(* : product) in_reduction(| : bits)          \
    in_reduction(min : smallest) in_reduction(&& : both) in_reduction(+ : array[0 : 5])
      {
        sum += i;
        real += 0.5;
        if (i % 100 == 0) product *= 2;
        bits |= 1u << (i % 20);
        if (smallest > 400 - i) smallest = 400 - i;
        both = both && i >= 0;
        array[i % 5] += i;
#pragma omp task in_reduction(+ : sum)
        sum += 1;
      }
    }
    long leaves = 0;
    count_leaves(5, &leaves);
    CHECK_EQ(leaves, 243);
  }
  CHECK_EQ(sum, 10 + kTasks * (kTasks - 1) / 2 + kTasks);
  CHECK(real == kTasks * 0.5);
  CHECK_EQ(product, 3 << 10);
  CHECK_EQ(bits, (1u << 20) - 1);
  CHECK_EQ(smallest, 400 - (kTasks - 1));
  CHECK_EQ(both, 1);
  for (int k = 0; k < 5; k++) {
    long expected = k + 1;
    for (int i = k; i < kTasks; i += 5) expected += i;
    CHECK_EQ(array[k], expected);
  }
}

// reduction(task, …) on parallel and on worksharing loops and sections: implicit and explicit tasks contribute.
static void reduction_region_modifier(void) {
  for (int round = 0; round < SCALED(80); round++) {
    long sum = 5, loop = 7, part = 1, threads = 0;
#pragma omp parallel reduction(task, + : sum) reduction(+ : threads)
    {
      threads++;
      sum += 1;
      for (int i = 0; i < 20; i++)
#pragma omp task in_reduction(+ : sum) firstprivate(i)
      {
        sum += i;
#pragma omp task in_reduction(+ : sum)
        sum += 1;
      }
    }
    CHECK_EQ(sum, 5 + threads * (1 + 190 + 20));

#pragma omp parallel
    {
#pragma omp for reduction(task, + : loop)
      for (int i = 0; i < 100; i++) {
        loop += i;
#pragma omp task in_reduction(+ : loop)
        loop += 1;
      }
#pragma omp sections reduction(task, + : part)
      {
#pragma omp section
        {
#pragma omp task in_reduction(+ : part)
          part += 10;
        }
#pragma omp section
        {
          part += 3;
#pragma omp task in_reduction(+ : part)
          part += 100;
        }
      }
    }
    CHECK_EQ(loop, 7 + 4950 + 100);
    CHECK_EQ(part, 1 + 10 + 3 + 100);
  }
}

// taskloop reduction and in_reduction are exact, alone and nested in a task reduction.
static void over_taskloops(void) {
  for (int round = 0; round < SCALED(80); round++) {
    long sum = 1, outer = 0, largest = -1;
#pragma omp parallel
#pragma omp single
    {
#pragma omp taskloop reduction(+ : sum) reduction(max : largest) grainsize(7)
      for (int i = 0; i < 1000; i++) {
        sum += i;
        if (largest < i * 3 % 1000) largest = i * 3 % 1000;
      }
#pragma omp taskgroup task_reduction(+ : outer)
      {
#pragma omp task in_reduction(+ : outer)
        {
#pragma omp taskloop in_reduction(+ : outer) num_tasks(13)
          for (int i = 0; i < 500; i++) outer += 2;
        }
#pragma omp taskloop in_reduction(+ : outer) nogroup
        for (int i = 0; i < 500; i++) outer += 1;
      }
    }
    CHECK_EQ(sum, 1 + 499500);
    CHECK_EQ(largest, 999);
    CHECK_EQ(outer, 1500);
  }
}

int main(void) {
  reduction_exact();
  reduction_region_modifier();
  over_taskloops();
  return 0;
}
