// A spawned task, which waits for a moment now and then, unblocks one task and decreases the events of another, in
// whatever state they are. The region waits for both, and the callback comes when the spawned task has ended.
#include <omp.h>
#include <stdatomic.h>

#define CHOMP_WEAK
#include "../../../abi/alpi.h"
#include "support/check.h"

static _Atomic(struct alpi_task*) blocked, with_event;
static _Atomic int left = 2, came, over;

static void look(void* unused) {
  (void)unused;
  for (; atomic_load(&left) > 0; alpi_task_waitfor_ns(1000, NULL)) {
    struct alpi_task* task = atomic_exchange(&blocked, NULL);
    if (task != NULL) {
      atomic_fetch_sub(&left, 1);
      CHECK_EQ(alpi_task_unblock(task), ALPI_SUCCESS);
    }
    task = atomic_exchange(&with_event, NULL);
    if (task == NULL) continue;
    atomic_fetch_sub(&left, 1);
    atomic_store(&came, 1);
    CHECK_EQ(alpi_task_events_decrease(task, 1), ALPI_SUCCESS);
  }
}
static void ended(void* unused) {
  (void)unused;
  atomic_store(&over, 1);
}

int main(void) {
  int unblocked = 0, after = 0;
  int spawned = alpi_task_spawn(look, NULL, ended, NULL, "look", NULL);
  if (spawned == ALPI_ERR_OUT_OF_MEMORY) return 0; // the system refuses its thread
  CHECK_EQ(spawned, ALPI_SUCCESS);
#pragma omp parallel
#pragma omp single
  {
#pragma omp task shared(unblocked)
    {
      struct alpi_task* self = NULL;
      alpi_task_self(&self);
      atomic_store(&blocked, self);
      CHECK_EQ(alpi_task_block(self), ALPI_SUCCESS);
      unblocked = 1;
    }
#pragma omp task depend(out : after) shared(after)
    {
      struct alpi_task* self = NULL;
      alpi_task_self(&self);
      CHECK_EQ(alpi_task_events_increase(self, 1), ALPI_SUCCESS);
      atomic_store(&with_event, self);
    }
#pragma omp task depend(in : after) shared(after)
    {
      CHECK_EQ(atomic_load(&came), 1);
      after = 1;
    }
  }
  CHECK_EQ(unblocked + after, 2);
  SPIN_UNTIL(atomic_load(&over));
  return 0;
}
