// Cancelled regions, loops, sections and taskgroups end for all their threads, and leave nothing behind for the next.
#include "support/check.h"
#include <omp.h>

static void regions(int round) {
  int after = 0, arrived = 0, threads = 0;
#pragma omp parallel shared(after, arrived, threads)
  {
#pragma omp atomic
    arrived++;
#pragma omp single nowait
    threads = omp_get_num_threads();
    if (omp_get_thread_num() == round % omp_get_num_threads()) {
#pragma omp cancel parallel
    }
#pragma omp barrier
#pragma omp cancellation point parallel
#pragma omp atomic
    after++;
  }
  CHECK_EQ(after, 0);
  CHECK_EQ(arrived, threads);
}

static void loops(void) {
  int done = 0, last = 0, sections = 0;
#pragma omp parallel shared(done, last, sections)
  {
#pragma omp for schedule(dynamic)
    for (int i = 0; i < 40; i++) {
#pragma omp cancellation point for
      if (i == 2) {
#pragma omp cancel for
      }
#pragma omp atomic
      done++;
    }
#pragma omp sections
    {
#pragma omp section
      {
#pragma omp cancel sections
        sections = 1;
      }
#pragma omp section
      {
      }
    }
#pragma omp for schedule(dynamic, 2)
    for (int i = 0; i < 6; i++)
#pragma omp atomic
      last++;
  }
  CHECK(done < 40);
  CHECK_EQ(sections, 0);
  CHECK_EQ(last, 6);
}

static void groups(void) {
  int dropped = 0, kept = 0;
#pragma omp parallel shared(dropped, kept)
#pragma omp single
  {
#pragma omp taskgroup
    {
      int gate = 0; // the others wait for the task that cancels
#pragma omp task depend(out : gate)
      {
#pragma omp cancel taskgroup
        CHECK(!"goes on after cancel");
      }
      for (int i = 0; i < 3; i++)
#pragma omp task depend(in : gate) shared(dropped)
        dropped = 1;
#pragma omp taskwait depend(in : gate)
    }
#pragma omp taskgroup
    for (int i = 0; i < 3; i++)
#pragma omp task shared(kept)
    {
#pragma omp atomic
      kept++;
    }
  }
  CHECK_EQ(dropped, 0);
  CHECK_EQ(kept, 3);
}

int main(void) {
  setenv("OMP_CANCELLATION", "true", 1); // the runtime reads it at the first construct
  CHECK(omp_get_cancellation());
  for (int round = 0; round < 2; round++) {
    regions(round);
    loops();
    groups();
  }
  return 0;
}
