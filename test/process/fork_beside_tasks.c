// fork() in a region whose other threads make, take and finish tasks of every kind: the child, which has one of the
// threads, has none of their tasks and waits for none. Tasks of its own run in that team, after one another, urgent, in
// groups and graphs, under each scheduler; and it executes regions.
// UNSUPPORTED: sanitizer-thread
// RUN: %clang-openmp %s -o %t -L%lib && env OMP_MAX_TASK_PRIORITY=99 %for-threads %t
// RUN: env OMP_MAX_TASK_PRIORITY=99 OMP_NUM_THREADS=3 %for-schedulers %t
#include "support/children.h"
#include "support/regions.h"
#include <stdint.h>

int __kmpc_start_record_task(void*, int thread, int nowait, int id);
void __kmpc_end_record_task(void*, int thread, int nowait, int id);

enum { kRounds = 3, kIterations = 60, kTasks = 12, kLast = 7, kThreads = 33 };

static int in_child;
static long cells[kThreads][4];

// A team of one keeps what it has not run.
static void runs(int made_in_child) { CHECK(made_in_child == ATOMIC_LOAD(in_child) || omp_get_num_threads() == 1); }

static void finish(omp_event_handle_t event) { omp_fulfill_event(event); }

static void make_tasks(long* cell, int child) {
  for (int i = 0; i < kTasks; i++) {
    int kind = i % 7;
    if (kind == 0) {
#pragma omp task firstprivate(child)
      runs(child);
    } else if (kind == 1) {
#pragma omp task priority(i * 5 + (int)(cell - cells[0]) % 5 + 1) firstprivate(child)
      runs(child);
    } else if (kind == 2) {
#pragma omp task depend(inout : cell[0]) firstprivate(child)
      runs(child);
    } else if (kind == 3) {
#pragma omp task depend(mutexinoutset : cell[1]) firstprivate(child)
      runs(child);
    } else if (kind == 4) {
#pragma omp task depend(in : cell[0], cell[1]) depend(out : cell[2]) priority(90 - i) firstprivate(child)
      runs(child);
    } else if (kind == 5) {
      omp_event_handle_t event;
#pragma omp task detach(event) depend(inout : cell[3]) firstprivate(child)
      runs(child);
#pragma omp task firstprivate(event)
      finish(event);
    } else {
#pragma omp task untied firstprivate(child, i)
      {
#pragma omp task firstprivate(child)
        runs(child);
#pragma omp taskyield
      }
    }
  }
}

// Recorded by the first call of each thread, before any fork.
static void use_graph(long* cell) {
  int id = 100 + (int)((cell - cells[0]) / 4), thread = omp_get_thread_num();
  if (__kmpc_start_record_task(0, thread, 1, id)) {
    for (int i = 0; i < 6; i++) {
#pragma omp task depend(inout : cell[i % 2]) shared(cells)
      ATOMIC_ADD(cell[i % 2], 1);
    }
  }
  __kmpc_end_record_task(0, thread, 1, id);
}

static void fork_here(long* cell) {
  pid_t child = fork_checked();
  if (child != 0) return expect_status(child, kLast);
  alarm(60);
  ATOMIC_STORE(in_child, 1);
  make_tasks(cell, 1);
#pragma omp taskwait
  use_graph(cell);
#pragma omp taskgroup
  make_tasks(cell, 1);
#pragma omp taskwait depend(in : cell[0], cell[1], cell[2], cell[3])
  omp_set_max_active_levels(2);
  use_openmp(3);
  make_tasks(cell, 1);
#pragma omp taskwait
  exit(kLast);
}

int main(void) {
#pragma omp parallel
  {
    long* cell = cells[omp_get_thread_num()];
    use_graph(cell);
    for (int round = 0; round < SCALED(kRounds) + 1; round++) {
#pragma omp for schedule(dynamic, 1) nowait
      for (int i = 0; i < kIterations; i++) {
        make_tasks(cell, 0);
        use_graph(cell);
        if (i % 20 == 5) fork_here(cell);
        if (i % 20 == 10) {
#pragma omp task firstprivate(cell)
          {
            make_tasks(cell, 0);
            fork_here(cell);
          }
        }
        if (i % 20 == 15) {
#pragma omp taskgroup
          {
            make_tasks(cell, 0);
            fork_here(cell);
          }
        }
        if (i % 4 == 3) {
#pragma omp taskwait
        }
      }
    }
  }
  return 0;
}
