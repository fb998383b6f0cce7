// Reductions by tasks come out exact: taskgroup task_reduction and in_reduction of scalars, array sections and a class
// with its own initialiser, nested groups, tasks of tasks, taskloop; every private copy that is made is destroyed.
// REQUIRES: gomp-cxx
// RUN: %gxx-openmp %s -o %t && %for-threads %t
#include "support/check.h"

static long alive;

// Not zero when it begins, and with memory of its own.
struct Sum {
  Sum() : value(new long(1000)) { ATOMIC_ADD(alive, 1); }
  Sum(const Sum&) = delete;
  ~Sum() {
    delete value;
    value = nullptr;
    ATOMIC_ADD(alive, -1);
  }
  void add(long n) { *value += n; }
  long* value;
};
// Sees a copy that has been constructed, and the original.
static void start(Sum* copy, const Sum* original) {
  CHECK(original->value != nullptr);
  *copy->value = 0;
}
#pragma omp declare reduction(+ : Sum : * omp_out.value += *omp_in.value) initializer(start(&omp_priv, &omp_orig))
#pragma omp declare reduction(most:int : omp_out = omp_out > omp_in ? omp_out : omp_in) initializer(omp_priv = -1)

template <typename T> static void tree(T& sum, double* cells, int count, int depth) {
  sum += depth + 1;
  for (int i = 0; i < count; i++) cells[i] += i;
  if (depth == 0) return;
  for (int branch = 0; branch < 2; branch++)
#pragma omp task in_reduction(+ : sum, cells[ : count])
    tree(sum, cells, count, depth - 1);
#pragma omp taskwait
}

static long tree_sum(int depth) { // of depth + 1 over all nodes
  return depth < 0 ? 0 : depth + 1 + 2 * tree_sum(depth - 1);
}

template <typename T> static void group_of_trees(int depth, int count) {
  T sum = 7;
  double cells[50];
  for (double& cell : cells) cell = 0.5;
#pragma omp taskgroup task_reduction(+ : sum, cells[ : count])
  {
#pragma omp task in_reduction(+ : sum, cells[ : count])
    tree(sum, cells, count, depth);
  }
  CHECK_EQ(sum, 7 + tree_sum(depth));
  long nodes = (2L << depth) - 1;
  for (int i = 0; i < 50; i++) CHECK(cells[i] == 0.5 + (i < count ? (double)(nodes * i) : 0));
}

static void nested_groups() {
  long outer = 0, inner_total = 0;
  int most = 5;
#pragma omp taskgroup task_reduction(+ : outer) task_reduction(most : most)
  for (int i = 0; i < 10; i++) {
#pragma omp task in_reduction(+ : outer) in_reduction(most : most) shared(inner_total) firstprivate(i)
    {
      long inner = 0;
      outer += 1;
      if (most < i) most = i;
#pragma omp taskgroup task_reduction(+ : inner)
      for (int k = 0; k < 5; k++) {
#pragma omp task in_reduction(+ : inner) in_reduction(+ : outer) firstprivate(k)
        {
          inner += k;
          outer += 100;
        }
      }
      CHECK_EQ(inner, 10);
      ATOMIC_ADD(inner_total, inner);
    }
  }
  CHECK_EQ(outer, 10 + 5000);
  CHECK_EQ(inner_total, 100);
  CHECK_EQ(most, 9);
}

static void objects() {
  {
    Sum sum;
    Sum sums[3];
#pragma omp taskgroup task_reduction(+ : sum, sums)
    for (int i = 0; i < 40; i++) {
#pragma omp task in_reduction(+ : sum, sums) firstprivate(i)
      {
        sum.add(i);
        sums[i % 3].add(1);
#pragma omp task in_reduction(+ : sums)
        sums[2].add(10);
      }
    }
    CHECK_EQ(*sum.value, 1000 + 780);
    CHECK_EQ(*sums[0].value, 1014);
    CHECK_EQ(*sums[2].value, 1013 + 400);
    CHECK_EQ(alive, 4);
  }
  CHECK_EQ(alive, 0);
}

static void loops(int trips) {
  long sum = 3, product = 1, outer = 0;
#pragma omp taskloop reduction(+ : sum) reduction(* : product) num_tasks(9)
  for (int i = 0; i < trips; i++) {
    sum += i;
    product *= i % 7 ? 1 : 2;
  }
  CHECK_EQ(sum, 3 + trips * (trips - 1L) / 2);
  CHECK_EQ(product, 1L << (trips + 6) / 7);
#pragma omp taskgroup task_reduction(+ : outer)
  {
#pragma omp taskloop in_reduction(+ : outer) nogroup
    for (unsigned long long i = 100; i > 0; i -= 1) outer += (long)i;
  }
  CHECK_EQ(outer, 5050);
}

static void one_round(int round) {
  group_of_trees<long>(round % 6, 50);
  group_of_trees<int>(4, 1 + round % 50);
  nested_groups();
  objects();
  loops(round % 60);
}

int main() {
#pragma omp parallel
#pragma omp single
  for (int round = 0; round < SCALED(160); round++) one_round(round);
  one_round(5); // outside of any region
  return 0;
}
