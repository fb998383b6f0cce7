// What Clang 22 makes of OpenMP 6.0's constructs starts and runs: strict numbers of threads with severity and message,
// loops of every schedule, scans, strict taskloops, task reductions, dependences of all kinds, atomics that compare,
// tasks for free agents.
// (No omp.h: its packages exclude one another's versions.)
// REQUIRES: clang22
// UNSUPPORTED: sanitizer-address, sanitizer-thread
// RUN: clang-22 -fopenmp -fopenmp-version=60 -std=gnu11 -O2 -Wall -I%root/test %s -o %t -L%lib -lomp -lm && %for-threads %t
// RUN: env OMP_THREADS_RESERVE="free_agent(2)" %for-threads %t
// RUN: clang-22 -fopenmp -fopenmp-version=60 -std=gnu11 -O0 -I%root/test %s -o %t.O0 -L%lib -lomp -lm && %for-threads %t.O0
#include "support/check.h"

int omp_get_num_threads(void);
int omp_get_max_threads(void);
int omp_get_thread_num(void);

enum { kCount = 1000 };
static int seen[kCount];

static void expect_each_once(void) {
  for (int i = 0; i < kCount; ++i) {
    CHECK_EQ(seen[i], 1);
    seen[i] = 0;
  }
}

static void strict_numbers_of_threads(int threads) {
  int got = 0, members = 0;
#pragma omp parallel num_threads(strict : threads) reduction(+ : members)
  {
    members = 1;
#pragma omp masked
    got = omp_get_num_threads();
  }
  CHECK_EQ(got, threads);
  CHECK_EQ(members, threads);
#pragma omp parallel num_threads(strict : threads + 1) severity(warning) message("nobody should read this")
#pragma omp single
  got = omp_get_num_threads();
  CHECK_EQ(got, threads + 1);
  // The strictness of the last region is not left behind.
#pragma omp parallel
#pragma omp single
  got = omp_get_num_threads();
  CHECK_EQ(got, omp_get_max_threads());
}

static void loops(void) {
#pragma omp parallel for schedule(dynamic, 3)
  for (int i = 0; i < kCount; ++i) seen[i]++;
  expect_each_once();
#pragma omp parallel for schedule(nonmonotonic : guided)
  for (int i = 0; i < kCount; ++i) seen[i]++;
  expect_each_once();
#pragma omp parallel for ordered schedule(monotonic : dynamic)
  for (int i = 0; i < kCount; ++i) {
#pragma omp ordered
    seen[i]++;
  }
  expect_each_once();
#pragma omp parallel
#pragma omp loop
  for (int i = 0; i < kCount; ++i) seen[i]++;
  expect_each_once();
#pragma omp parallel for collapse(2) schedule(runtime)
  for (int i = 0; i < kCount / 10; ++i)
    for (int j = 0; j < 10; ++j) seen[10 * i + j]++;
  expect_each_once();
  static int prefix[kCount];
  int sum = 0;
#pragma omp parallel for reduction(inscan, + : sum)
  for (int i = 0; i < kCount; ++i) {
    sum += i;
#pragma omp scan inclusive(sum)
    prefix[i] = sum;
  }
  CHECK_EQ(prefix[kCount - 1], kCount * (kCount - 1) / 2);
#pragma omp teams num_teams(2)
#pragma omp distribute parallel for
  for (int i = 0; i < kCount; ++i) seen[i]++;
  expect_each_once();
}

static void tasks(void) {
  int sum = 0, chain = 0;
#pragma omp parallel
#pragma omp single
  {
#pragma omp taskloop grainsize(strict : 7) reduction(+ : sum)
    for (int i = 0; i < kCount; ++i) sum += i;
#pragma omp taskgroup task_reduction(+ : sum)
    for (int i = 0; i < 10; ++i) {
#pragma omp task in_reduction(+ : sum) untied
      sum += 1;
    }
    for (int i = 0; i < 20; ++i) {
#pragma omp task depend(inout : chain)
      chain += 1;
#pragma omp task depend(mutexinoutset : chain)
      chain += 1;
#pragma omp task depend(inoutset : chain)
      CHECK(chain >= 2);
#pragma omp task depend(in : chain) priority(1)
      CHECK(chain >= 2);
    }
#pragma omp taskwait depend(in : chain)
    CHECK_EQ(chain, 40);
  }
  CHECK_EQ(sum, kCount * (kCount - 1) / 2 + 10);
}

static void atomics(void) {
  int largest = -1, added = 0;
#pragma omp parallel
  {
    int mine = omp_get_thread_num();
#pragma omp atomic compare
    if (largest < mine) largest = mine;
#pragma omp atomic update seq_cst
    added += 1;
#pragma omp scope
    CHECK(largest >= 0);
#pragma omp masked filter(omp_get_num_threads() - 1)
    CHECK_EQ(mine, omp_get_num_threads() - 1);
  }
  CHECK_EQ(largest, added - 1);
}

// By whichever thread: in a region, and in the sequential part, where only free agents run them beside the creator.
static void tasks_of_the_pool(void) {
  int ran = 0, chain = 0;
#pragma omp taskgroup
  for (int i = 0; i < 20; ++i) {
#pragma omp task threadset(omp_pool) shared(ran)
#pragma omp atomic
    ran++;
#pragma omp task threadset(omp_pool) shared(chain) depend(inout : chain) priority(i)
    chain++;
#pragma omp task threadset(omp_team) shared(chain) depend(inout : chain)
    chain++;
  }
#pragma omp taskloop threadset(omp_pool) shared(ran) num_tasks(4)
  for (int i = 0; i < 20; ++i) {
#pragma omp atomic
    ran++;
  }
  CHECK_EQ(ran, 40);
  CHECK_EQ(chain, 40);
}

int main(void) {
  strict_numbers_of_threads(omp_get_max_threads());
  loops();
  tasks();
  atomics();
  tasks_of_the_pool();
#pragma omp parallel
#pragma omp single
  tasks_of_the_pool();
  return 0;
}
