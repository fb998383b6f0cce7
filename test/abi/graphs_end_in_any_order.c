// Tasks that stop while they record or replay a graph end its region in any order. Each end waits for the tasks of its
// own region, and records no task of another one.
// RUN: %clang-openmp -I%root %s -o %t -L%lib && %for-threads %t
// RUN: env CHOMP_SCHEDULER=xqueue %for-threads -t "1 3 8" %t
#include <stdatomic.h>
#include <stdint.h>

#include "abi/chomp.h"
#include "support/check.h"

int32_t __kmpc_start_record_task(void* location, int32_t gtid, int32_t flags, int32_t id);
void __kmpc_end_record_task(void* location, int32_t gtid, int32_t flags, int32_t id);

enum { kRegions = 4, kReplays = 3, kTasks = 5 };
static _Atomic(chomp_task_t*) stopped[kRegions];

static void stop(int region) {
  chomp_task_t* self = chomp_task_self();
  atomic_store(&stopped[region], self);
  CHECK_EQ(chomp_task_suspend(self), 0);
}

static void let_go_on(int region) {
  chomp_task_t* task;
  while ((task = atomic_exchange(&stopped[region], NULL)) == NULL) {
#pragma omp taskyield
  }
  CHECK_EQ(chomp_task_resume(task), 0);
}

// The first regions go on first, though the others have begun later.
static void record_and_replay(int region, int id) {
  int sum = 0;
  for (int replay = 0; replay < kReplays; ++replay) {
    if (__kmpc_start_record_task(0, 0, 0, id)) {
      for (int i = 0; i < kTasks; ++i) {
#pragma omp task depend(inout : sum) shared(sum)
        {
          burn(2000);
          sum += i;
        }
      }
    }
    stop(region);
    __kmpc_end_record_task(0, 0, 0, id);
    CHECK_EQ(sum, (replay + 1) * kTasks * (kTasks - 1) / 2);
  }
}

int main(void) {
  int graphs = 0;
  chomp_task_self(); // tasks may stop from here on
  for (int round = 0; round < SCALED(32); ++round) {
#pragma omp parallel
#pragma omp single
    {
      for (int region = 0; region < kRegions; ++region) {
        int id = ++graphs;
#pragma omp task
        record_and_replay(region, id);
      }
      for (int replay = 0; replay < kReplays; ++replay)
        for (int region = 0; region < kRegions; ++region) let_go_on(region);
    }
  }
  return 0;
}
