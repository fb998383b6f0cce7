// A thread that waits long for its turn in an ordered loop, or for an iteration of a doacross loop, sleeps. Turns come
// in order, and none is lost, however often threads fall asleep and however many sleep at once.
// RUN: %clang -O2 -Wall -Wextra -shared -fPIC %root/test/support/many_cpus.c -o %t.so -ldl
// RUN: %clang-openmp %s -o %t
// RUN: %for-threads %t
// RUN: env KMP_BLOCKTIME=0 %for-threads %t
// RUN: env KMP_BLOCKTIME=0 CHOMP_MEMBARRIER=0 %for-threads -t "2 3 33" %t
// RUN: %if !sanitizer-address && !sanitizer-thread %{ env KMP_BLOCKTIME=0 %for-threads -t "2 3 8" env LD_PRELOAD=%t.so %t %}
#include "support/check.h"
#include <omp.h>
#include <time.h>

static double cpu_ms(void) {
  struct timespec now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return (double)now.tv_sec * 1e3 + (double)now.tv_nsec / 1e6;
}

// The first iteration takes long; meanwhile the others wait.
static void waits_are_cheap(void) {
  int turns = 0, posted = 0;
#pragma omp parallel
  {
    double before = cpu_ms();
#pragma omp for ordered schedule(static, 1)
    for (int i = 0; i < 40; i++) {
#pragma omp ordered
      {
        if (i == 0) usleep(200000);
        CHECK_EQ(turns++, i);
      }
    }
#pragma omp for ordered(1) schedule(static, 1)
    for (int i = 0; i < 40; i++) {
#pragma omp ordered depend(sink : i - 1)
      if (i == 0) usleep(200000);
      CHECK_EQ(posted++, i);
#pragma omp ordered depend(source)
    }
    CHECK(cpu_ms() - before < 100);
  }
  CHECK_EQ(turns, 40);
  CHECK_EQ(posted, 40);
}

// Long ordered regions now and then: some threads sleep, some look, some are still in their iterations.
#define TURNS(schedule_clause, skips)                                                                                  \
  next = 0;                                                                                                            \
  _Pragma(schedule_clause) for (int i = 0; i < iterations; i++) {                                                      \
    if (i % 97 == 0) burn(20000);                                                                                      \
    if (skips && i % 5 == 3) continue;                                                                                 \
    _Pragma("omp ordered") {                                                                                           \
      if (i % 64 == 1) usleep(50);                                                                                     \
      if (i % 64 == 33) burn(3000);                                                                                    \
      CHECK(i >= next);                                                                                                \
      next = i + 1;                                                                                                    \
    }                                                                                                                  \
  }                                                                                                                    \
  CHECK(next >= iterations - 1)

static void turns_come_in_order(void) {
  int iterations = SCALED(4000), next;
  TURNS("omp parallel for ordered schedule(static, 1)", 0);
  TURNS("omp parallel for ordered schedule(static, 1)", 1);
  TURNS("omp parallel for ordered schedule(static, 32)", 1); // turns that are waited for lie 32 apart
  TURNS("omp parallel for ordered schedule(static)", 0);
  TURNS("omp parallel for ordered schedule(dynamic)", 0);
  TURNS("omp parallel for ordered schedule(dynamic, 7)", 1);
  TURNS("omp parallel for ordered schedule(guided)", 0);
}

static void iterations_wait_for_their_sinks(void) {
  enum { kRows = 40, kColumns = 40 };
  static long cell[kRows + 1][kColumns + 1], expected[kRows + 1][kColumns + 1];
  for (int i = 0; i <= kRows; i++) cell[i][0] = cell[0][i] = expected[i][0] = expected[0][i] = 1;
  for (int i = 1; i <= kRows; i++)
    for (int j = 1; j <= kColumns; j++) expected[i][j] = (expected[i - 1][j] + 3 * expected[i][j - 1] + j) % 1000003;
#pragma omp parallel for ordered(2) schedule(static, 1)
  for (int i = 1; i <= kRows; i++)
    for (int j = 1; j <= kColumns; j++) {
#pragma omp ordered depend(sink : i - 1, j) depend(sink : i, j - 1)
      if ((i * 7 + j) % 101 == 0) usleep(50);
      cell[i][j] = (cell[i - 1][j] + 3 * cell[i][j - 1] + j) % 1000003;
#pragma omp ordered depend(source)
    }
  for (int i = 0; i <= kRows; i++)
    for (int j = 0; j <= kColumns; j++) CHECK_EQ(cell[i][j], expected[i][j]);
}

int main(void) {
  waits_are_cheap();
  turns_come_in_order();
  iterations_wait_for_their_sinks();
  return 0;
}
