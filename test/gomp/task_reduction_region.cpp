// reduction(task, …) of parallel, for, sections and scope: what tasks of all members add comes out once, exactly; also
// twice in a row, in nested regions, and with a loop's own copies used by the members themselves.
// REQUIRES: gomp-cxx
// RUN: %gxx-openmp %s -o %t && %for-threads %t
#include "support/check.h"
#include <omp.h>

static long total, second;
static double cells[20];

static void on_parallel(int round) {
  long sum = round;
  int members = 0;
#pragma omp parallel reduction(task, + : sum, members)
  {
    members++;
    sum += 1;
    for (int i = 0; i < 10; i++) {
#pragma omp task in_reduction(+ : sum)
      {
        sum += 10;
#pragma omp task in_reduction(+ : sum)
        sum += 100;
      }
    }
  }
  CHECK_EQ(sum, round + members * 1101L);
}

static void on_loops(int trips) {
  total = second = 0;
  for (double& cell : cells) cell = 1;
#pragma omp parallel
  {
#pragma omp for reduction(task, + : total) reduction(task, + : cells) schedule(dynamic, 2)
    for (int i = 0; i < trips; i++) {
      total += 1;
#pragma omp task in_reduction(+ : total) in_reduction(+ : cells) firstprivate(i)
      {
        total += 10;
        cells[i % 20] += 1;
      }
    }
    CHECK_EQ(total, trips * 11L);
#pragma omp for reduction(task, + : second) schedule(static)
    for (long i = trips; i > 0; i--) {
#pragma omp task in_reduction(+ : second)
      second += 2;
    }
    CHECK_EQ(second, trips * 2L);
  }
  for (int i = 0; i < 20; i++) CHECK(cells[i] == 1 + trips / 20 + (i < trips % 20));
  long combined = 0;
#pragma omp parallel for reduction(task, + : combined) schedule(guided)
  for (unsigned long long i = 0; i < (unsigned long long)trips; i++) {
#pragma omp task in_reduction(+ : combined)
    combined += 3;
  }
  CHECK_EQ(combined, trips * 3L);
}

static void on_others() {
  total = second = 0;
  int members = 0;
#pragma omp parallel
  {
#pragma omp atomic
    members++;
#pragma omp sections reduction(task, + : total)
    {
#pragma omp section
#pragma omp task in_reduction(+ : total)
      total += 1;
#pragma omp section
      total += 10;
#pragma omp section
#pragma omp task in_reduction(+ : total)
#pragma omp task in_reduction(+ : total)
      total += 100;
    }
    CHECK_EQ(total, 111);
#pragma omp scope reduction(task, + : second)
    {
      second += 1;
#pragma omp task in_reduction(+ : second)
      second += 10;
    }
    CHECK_EQ(second, members * 11L);
  }
}

static void nested() {
  long sum = 0;
  int members = 0;
#pragma omp parallel num_threads(2) reduction(task, + : sum) reduction(+ : members)
  {
    long inner = 0;
#pragma omp parallel num_threads(2) reduction(task, + : inner) reduction(+ : members)
    {
      members++;
#pragma omp task in_reduction(+ : inner)
      inner += 1;
    }
#pragma omp task in_reduction(+ : sum) firstprivate(inner)
    sum += inner;
  }
  CHECK_EQ(sum, members);
}

int main() {
  omp_set_max_active_levels(2);
  for (int round = 0; round < SCALED(160); round++) {
    on_parallel(round);
    on_loops(round);
    on_others();
    nested();
  }
  return 0;
}
