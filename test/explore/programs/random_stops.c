// Tasks stop at any of their scheduling points, in any way, and a relative, a stranger or the clock lets them go on.
// Where and how is drawn anew in each run. A stop changes nothing that belongs to the task. Between stops no other task
// has the number of its CPU. The initial task stops, too, before regions and after them.
#include <omp.h>
#include <pthread.h>
#include <stdatomic.h>
#include <time.h>

#define CHOMP_WEAK
#include "../../../abi/alpi.h"
#include "support/check.h"

enum { kDepth = 2, kNodes = 7, kNumbers = 1024 };
static _Atomic int users[kNumbers];
static _Atomic(struct alpi_task*) stranger;
static _Atomic unsigned draws;

static unsigned draw(unsigned below) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return ((unsigned)now.tv_nsec * 2654435761u + atomic_fetch_add(&draws, 1) * 2246822519u) / 65536 % below;
}

static void let_go_on(struct alpi_task* task) {
  if (task != NULL) CHECK_EQ(alpi_task_unblock(task), ALPI_SUCCESS);
}

static void block(struct alpi_task* self) { CHECK_EQ(alpi_task_block(self), ALPI_SUCCESS); }

static void use_number(void) {
  uint64_t number = kNumbers;
  CHECK_EQ(alpi_cpu_logical_id(&number), ALPI_SUCCESS);
  CHECK(number < kNumbers);
  CHECK_EQ(atomic_fetch_add(&users[number], 1), 0);
  CHECK_EQ(atomic_fetch_sub(&users[number], 1), 1);
}

static void* unblock(void* task) {
  use_number();
  let_go_on(task);
  return NULL;
}

static void stop_outside(void) {
  struct alpi_task* self = NULL;
  pthread_t thread;
  CHECK_EQ(alpi_task_self(&self), ALPI_SUCCESS);
  use_number();
  if (pthread_create(&thread, NULL, unblock, self) != 0) return;
  if (draw(2) == 0) CHECK_EQ(alpi_task_waitfor_ns(draw(2000), NULL), ALPI_SUCCESS);
  block(self);
  use_number();
  CHECK_EQ(pthread_join(thread, NULL), 0);
}

static void stop_somehow(void) {
  struct alpi_task* self = NULL;
  CHECK_EQ(alpi_task_self(&self), ALPI_SUCCESS);
  switch (draw(6)) {
  case 0: break;
  case 1: {
#pragma omp taskyield
    break;
  }
  case 2: CHECK_EQ(alpi_task_waitfor_ns(draw(2000), NULL), ALPI_SUCCESS); break;
  case 3: // the task that stops next lets it go on, or the creator of all
    let_go_on(atomic_exchange(&stranger, self));
    block(self);
    break;
  default:
#pragma omp task untied if (draw(4) > 0)
  {
#pragma omp taskyield
    let_go_on(self);
  }
    block(self);
  }
}

static void stop(void) {
  int thread = omp_get_thread_num(), threads = 1 + (int)draw(9);
  omp_set_num_threads(threads);
  use_number();
  stop_somehow();
  use_number();
  CHECK_EQ(omp_get_thread_num(), thread);
  CHECK_EQ(omp_get_max_threads(), threads);
}

static int tree(int depth) {
  int nodes = 0;
  stop();
  if (depth == 0) return 1;
  switch (draw(4)) {
  case 0:
#pragma omp taskgroup task_reduction(+ : nodes)
  {
    for (int i = 0; i < 2; ++i) {
#pragma omp task in_reduction(+ : nodes)
      {
        int more = tree(depth - 1);
        nodes += more;
      }
      stop();
    }
  } break;
  case 1:
    for (int i = 0; i < 2; ++i)
#pragma omp task shared(nodes) depend(inout : nodes)
    {
      int more = tree(depth - 1);
      nodes += more;
    }
    stop();
#pragma omp taskwait depend(in : nodes)
    break;
  case 2:
#pragma omp taskloop reduction(+ : nodes) grainsize(1)
    for (int i = 0; i < 2; ++i) {
      int more = tree(depth - 1);
      nodes += more;
    }
    break;
  default:
    for (int i = 0; i < 2; ++i)
#pragma omp task shared(nodes) if (draw(4) > 0)
    {
      int more = tree(depth - 1);
#pragma omp atomic
      nodes += more;
    }
    stop();
#pragma omp taskwait
  }
  return nodes + 1;
}

int main(void) {
  struct alpi_task* unused = NULL;
  _Atomic int nodes = 0;
  alpi_task_self(&unused); // from now on tasks may stop
  stop_outside();
#pragma omp parallel
#pragma omp single
  {
#pragma omp task shared(nodes)
    atomic_store(&nodes, tree(kDepth));
    while (atomic_load(&nodes) == 0) {
      let_go_on(atomic_exchange(&stranger, NULL));
      CHECK_EQ(alpi_task_waitfor_ns(1000, NULL), ALPI_SUCCESS);
    }
  }
  CHECK_EQ(nodes, kNodes);
  stop_outside();
  return 0;
}
