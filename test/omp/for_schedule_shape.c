// schedule(static) is the same division each time, in blocks or round robin as specified; monotonic schedules give each
// thread its iterations in increasing order; lastprivate and linear take the last iteration's value; nowait loops in a
// row stay apart.
// libomp 19 at times loses the last value of the dynamic loop with 33 threads.
// RUN: %clang-openmp %s -o %t && %for-threads %t
#include "support/check.h"
#include <omp.h>

enum { kIterations = 997 };
static int owner[kIterations], again[kIterations];

int main(void) {
  int n = omp_get_max_threads();
#pragma omp parallel
  {
    int id = omp_get_thread_num(), before = -1;
#pragma omp for schedule(static) nowait
    for (int i = 0; i < kIterations; i++) owner[i] = id;
#pragma omp for schedule(static) nowait
    for (int i = 0; i < kIterations; i++) { // the same thread: no barrier needed
      CHECK_EQ(owner[i], id);
      again[i] = id;
    }
#pragma omp for schedule(static, 5)
    for (int i = 0; i < kIterations; i++) CHECK_EQ(i / 5 % n, id);
#pragma omp for schedule(monotonic : dynamic, 3)
    for (int i = 0; i < kIterations; i++) {
      CHECK(i > before);
      before = i;
    }
    before = -1;
#pragma omp for schedule(monotonic : guided)
    for (int i = 0; i < kIterations; i++) {
      CHECK(i > before);
      before = i;
    }
    before = -1;
    omp_set_schedule(omp_sched_dynamic | omp_sched_monotonic, 3);
#pragma omp for schedule(runtime)
    for (int i = 0; i < kIterations; i++) {
      CHECK(i > before);
      before = i;
    }
    before = -1;
#pragma omp for schedule(dynamic) ordered
    for (int i = 0; i < kIterations; i++) {
      CHECK(i > before);
      before = i;
#pragma omp ordered
      {
      }
    }
  }
  for (int i = 1; i < kIterations; i++) CHECK(owner[i] >= owner[i - 1]); // blocks, in order of thread
  for (int i = 0; i < kIterations; i++) CHECK_EQ(again[i], owner[i]);
  for (int id = 0, i = 0; id < n; id++) { // at most one block each, sizes as even as can be
    int size = 0;
    while (i < kIterations && owner[i] == id) size++, i++;
    CHECK(size == kIterations / n || size == (kIterations + n - 1) / n);
  }

  int last = -1, line = 3;
  long done[50] = {0};
#pragma omp parallel for schedule(dynamic, 2) lastprivate(last)
  for (int i = 0; i < 100; i++) last = i;
  CHECK_EQ(last, 99);
#pragma omp parallel for schedule(static, 3) linear(line : 2)
  for (int i = 0; i < 100; i++) {
    CHECK_EQ(line, 3 + 2 * i);
    line += 2;
  }
  CHECK_EQ(line, 203);
#pragma omp parallel
  for (int round = 0; round < 50; round++) { // more loops in flight than any ring of dispatch buffers holds
    if (round % 2)
#pragma omp for schedule(dynamic) nowait
      for (int i = 0; i < 40; i++) ATOMIC_ADD(done[round], 1);
    else
#pragma omp for schedule(guided, 2) nowait
      for (int i = 0; i < 40; i++) ATOMIC_ADD(done[round], 1);
  }
  for (int round = 0; round < 50; round++) CHECK_EQ(done[round], 40);
  return 0;
}
