// A graph is replayed again by the task whose last replay of it has just ended, while children of the replayed tasks
// still run: their parents' headers are not free, so the tasks must be others.
// RUN: %clang-openmp %s -o %t -L%lib && %for-threads %t
// RUN: env CHOMP_SCHEDULER=xqueue %for-threads -t "8 33" %t
#include "support/check.h"
#include <stdint.h>

int32_t __kmpc_start_record_task(void* location, int32_t gtid, int32_t flags, int32_t id);
void __kmpc_end_record_task(void* location, int32_t gtid, int32_t flags, int32_t id);

enum { kNoWait = 1, kReplays = SCALED(32), kTasks = 5, kCreators = 4 };

static void replay_often(int id) {
  int chain = 0, children = 0;
#pragma omp taskgroup
  for (int replay = 0; replay < kReplays; replay++) {
    if (__kmpc_start_record_task(0, 0, kNoWait, id)) {
      for (int i = 0; i < kTasks; i++) {
#pragma omp task depend(inout : chain) shared(chain, children)
        {
#pragma omp task shared(children)
          {
            burn(20000);
            ATOMIC_ADD(children, 1);
          }
          burn(2000);
          chain++;
        }
      }
    }
    __kmpc_end_record_task(0, 0, kNoWait, id);
  }
  CHECK_EQ(chain, kReplays * kTasks);
  CHECK_EQ(children, kReplays * kTasks);
}

int main(void) {
  int graphs = 0;
  for (int round = 0; round < 5; round++) {
#pragma omp parallel
    for (int creator = 0; creator < kCreators; creator++) {
#pragma omp task shared(graphs)
      replay_often(__atomic_add_fetch(&graphs, 1, __ATOMIC_RELAXED));
    }
  }
  return 0;
}
