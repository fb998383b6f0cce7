// For tools/explore: a recorded graph is replayed, by one task and by several at once, in which each task sees what its
// predecessors have written; also by one that does not wait for its earlier replays.
#include "support/check.h"
#include <omp.h>
#include <stddef.h>

int __kmpc_global_thread_num(void*);
int __kmpc_start_record_task(void*, int, int, int);
void __kmpc_end_record_task(void*, int, int, int);

enum { kNoWait = 1, kReset = 2 };
static int left, right, joined, forked, chain;

static void graph(int round) {
  const int thread = __kmpc_global_thread_num(NULL);
  if (__kmpc_start_record_task(NULL, thread, round == 0 ? kReset : 0, 1)) {
#pragma omp task depend(out : left)
    left++;
#pragma omp task depend(out : right)
    right++;
#pragma omp task depend(in : left, right) depend(out : joined)
    {
      CHECK_EQ(left, joined + 1);
      CHECK_EQ(right, joined + 1);
      joined++;
    }
#pragma omp task depend(in : joined)
    {
#pragma omp task
      ATOMIC_ADD(forked, 1);
    }
  }
  __kmpc_end_record_task(NULL, thread, 0, 1);
}

static void several(int round) {
  const int thread = __kmpc_global_thread_num(NULL);
  if (__kmpc_start_record_task(NULL, thread, round == 0 ? kReset : 0, 2)) {
    for (int i = 0; i < 2; i++) {
#pragma omp task depend(inout : forked)
      ATOMIC_ADD(forked, 1);
    }
  }
  __kmpc_end_record_task(NULL, thread, 0, 2);
}

// What the table has lost is freed when it is recorded anew.
static void without_waiting(int round) {
  const int thread = __kmpc_global_thread_num(NULL), flags = kNoWait | (round % 3 == 0 ? kReset : 0);
  if (__kmpc_start_record_task(NULL, thread, flags, 3)) {
#pragma omp task depend(inout : chain)
    chain++;
  }
  __kmpc_end_record_task(NULL, thread, flags, 3);
}

int main(void) {
  int threads = 0;
#pragma omp parallel
#pragma omp single
  for (int round = 0; round < 3; round++) graph(round);
  CHECK_EQ(left, 3);
  CHECK_EQ(right, 3);
  CHECK_EQ(joined, 3);
  CHECK_EQ(forked, 3);
#pragma omp parallel
  {
#pragma omp single
    threads = omp_get_num_threads();
    for (int round = 0; round < 3; round++) several(round);
  }
  CHECK_EQ(forked, 3 + 6 * threads);
#pragma omp parallel
#pragma omp single
  for (int round = 0; round < 9; round++) {
    if (round % 3 == 0) {
#pragma omp taskwait
    }
    without_waiting(round);
  }
  CHECK_EQ(chain, 9);
  return 0;
}
