// A task with the flag that newer Flangs give one with if(.false.), 0x4, has run when the call that spawns it returns;
// with dependences, with an event, with priority and for free agents too. A detachable one is then waited for like any
// other.
// RUN: %clang-openmp -w %s -o %t && env OMP_MAX_TASK_PRIORITY=2 OMP_THREADS_RESERVE="free_agent(2)" %for-threads %t
#include "support/check.h"
#include "support/newer_tasks.h"

enum { kMergedIf0 = 0x4 };

static void body(void* argument) {
  burn(100);
  ++*(int*)argument;
}

static void all_kinds(void) {
  int plain = 0, kinds[4] = {kTied, 0, kPrioritised, kPool};
  for (int i = 0; i < 4; i++) {
    newer_spawn(kinds[i] | kMergedIf0, body, &plain);
    CHECK_EQ(plain, i + 1);
  }
  int after = 0;
  for (int i = 0; i < 4; i++) {
    NewerTask* before = newer_task(kTied, body, &after); // deferred
    newer_spawn_task_after(before, kInOut, &after);
    newer_spawn_task_after(newer_task(kTied | kMergedIf0, body, &after), kInOut, &after);
    CHECK_EQ(after, 2 * i + 2);
  }
  int detached = 0;
  NewerTask* task = newer_task(kTied | kDetachable | kMergedIf0, body, &detached);
  omp_event_handle_t event = __kmpc_task_allow_completion_event(0, __kmpc_global_thread_num(0), task);
  __kmpc_omp_task(0, __kmpc_global_thread_num(0), task);
  CHECK_EQ(detached, 1);
  omp_fulfill_event(event);
#pragma omp taskwait
}

int main(void) {
  for (int round = 0; round < SCALED(64); round++) {
#pragma omp parallel
#pragma omp single
    {
      all_kinds();
#pragma omp task
      all_kinds();
    }
  }
  all_kinds();
  return 0;
}
