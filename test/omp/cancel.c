// Cancelling a region, loop, sections or taskgroup ends it early for all its threads, and nothing hangs; tasks not yet
// begun are dropped, the others end. Without OMP_CANCELLATION nothing is cancelled.
// libomp 19 stops with failed assertions: after a cancelled dynamic loop, and (one thread) at the second kind of
// cancel.
// RUN: %clang-openmp %s -o %t && env OMP_CANCELLATION=true %for-threads %t
// RUN: %if hwloc %{ env OMP_CANCELLATION=true HWLOC_SYNTHETIC="pack:3 l3:1 core:3 pu:1" %for-threads -t "7 9" %t %}
// RUN: env OMP_CANCELLATION=false %for-threads %t
#include "support/check.h"
#include <omp.h>

int main(void) {
  int on = omp_get_cancellation();
  const char* wanted = getenv("OMP_CANCELLATION");
  CHECK_EQ(on != 0, wanted && wanted[0] == 't');
  for (int round = 0; round < SCALED(160); round++) {
    int after = 0, threads = 0, iterations = 0, sections = 0, tasks = 0;
#pragma omp parallel shared(after, threads)
    {
      ATOMIC_ADD(threads, 1);
      if (omp_get_thread_num() == round % omp_get_num_threads()) {
#pragma omp cancel parallel
      }
#pragma omp barrier
#pragma omp cancellation point parallel
      ATOMIC_ADD(after, 1);
    }
    CHECK_EQ(threads, omp_get_max_threads());
    CHECK_EQ(after, on ? 0 : threads);

#pragma omp parallel
    {
#pragma omp for schedule(dynamic)
      for (int i = 0; i < 10000; i++) {
        do { // the last one is there when the loop is cancelled, however late the thread of the sixth comes
#pragma omp cancellation point for
        } while (on && i == 9999);
        ATOMIC_ADD(iterations, 1);
        if (i == 5) {
#pragma omp cancel for
        }
      }
#pragma omp sections
      {
#pragma omp section
        {
#pragma omp cancel sections
          ATOMIC_ADD(sections, 1);
        }
      }
    }
    CHECK(on ? iterations < 10000 : iterations == 10000);
    CHECK_EQ(sections, !on);

#pragma omp parallel
#pragma omp single
    {
#pragma omp taskgroup
      {
        // This task depends on nothing else; the rest wait for it, so that they have not begun when it cancels.
        int gate = 0;
#pragma omp task depend(out : gate) shared(gate)
        {
#pragma omp cancel taskgroup
          if (on) CHECK(!"goes on after cancel");
        }
        for (int i = 0; i < 100; i++)
#pragma omp task depend(in : gate) shared(tasks)
          ATOMIC_ADD(tasks, 1);
      }
      CHECK_EQ(ATOMIC_LOAD(tasks), on ? 0 : 100);
#pragma omp taskgroup
      {
#pragma omp task shared(tasks)
        ATOMIC_ADD(tasks, 1000); // the next taskgroup is not cancelled
      }
      CHECK_EQ(ATOMIC_LOAD(tasks), on ? 1000 : 1100);
    }
  }
  return 0;
}
