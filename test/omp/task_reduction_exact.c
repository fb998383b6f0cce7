// Task reductions are exact: taskgroup task_reduction with in_reduction by descendants, nested groups over one
// variable, arrays, several operators, and contributions of the creator itself.
// RUN: %clang-openmp %s -o %t && %for-threads %t
#include "support/check.h"

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

int main(void) {
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
  return 0;
}
