// For tools/explore: a graph of many short tasks is replayed in order by its creator, which lends single tasks to
// those that ask, and goes on without them if they take long. Each task sees what its predecessors have written.
#include "support/check.h"
#include <omp.h>
#include <stddef.h>

int __kmpc_global_thread_num(void*);
int __kmpc_start_record_task(void*, int, int, int);
void __kmpc_end_record_task(void*, int, int, int);

enum { kChains = 3, kTasks = 262 }; // a graph of up to 256 tasks is not replayed in order

static int length[kChains];

static void chains(int round) {
  const int thread = __kmpc_global_thread_num(NULL);
  if (__kmpc_start_record_task(NULL, thread, 0, 1)) {
    for (int i = 0; i < kTasks; i++) {
      int *chain = &length[i % kChains], *other = &length[(i + 1) % kChains], before = i / kChains;
#pragma omp task depend(inout : chain[0]) depend(in : other[0]) firstprivate(chain, before)
      {
        CHECK_EQ(*chain % 1000, before);
        ++*chain;
      }
    }
  }
  __kmpc_end_record_task(NULL, thread, 0, 1);
  for (int i = 0; i < kChains; i++) {
    CHECK_EQ(length[i], 1000 * round + (kTasks - i + kChains - 1) / kChains);
    length[i] = 1000 * (round + 1);
  }
}

int main(void) {
#pragma omp parallel
#pragma omp single
  for (int round = 0; round < 3; round++) chains(round);
  return 0;
}
