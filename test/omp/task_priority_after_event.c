// A task with a priority that an event releases runs next, before plain ones that wait already, whoever fulfils the
// event: another task, or a thread outside the team. (The other thread of the team takes none of them: it waits
// outside of all scheduling points.)
// RUN: %clang-openmp %s -o %t && env OMP_MAX_TASK_PRIORITY=10 OMP_NUM_THREADS=2 %for-schedulers %t
// RUN: %if gomp %{ %gcc-openmp %s -o %t.gcc && env OMP_MAX_TASK_PRIORITY=10 %chomp-run %t.gcc %}
#include "support/check.h"
#include <omp.h>
#include <pthread.h>

enum { kPlain = 50 };

static int begun, ran, urgent_at, fulfilled_at, release_other;
static omp_event_handle_t event;

static void* fulfil(void* unused) {
  omp_fulfill_event(event);
  return unused;
}

static void yield_until_begun(void) {
  while (!ATOMIC_LOAD(begun)) {
#pragma omp taskyield
  }
}

/// A detached task whose body has run, the urgent one that depends on it, plain ones, and what fulfils the event.
static void make_tasks(int by_thread) {
  int cell = 0;
  omp_event_handle_t handle;
#pragma omp task detach(handle) depend(out : cell)
  ATOMIC_STORE(begun, 1);
  event = handle;
  yield_until_begun();
#pragma omp task depend(in : cell) priority(5)
  urgent_at = ran++;
  for (int i = 0; i < kPlain; i++)
#pragma omp task
    ran++;
  if (by_thread) {
    pthread_t thread;
    CHECK_EQ(pthread_create(&thread, 0, fulfil, 0), 0);
    CHECK_EQ(pthread_join(thread, 0), 0);
    fulfilled_at = -1;
  } else {
#pragma omp task
    {
      fulfilled_at = ran++;
      omp_fulfill_event(event);
    }
  }
#pragma omp taskwait
}

int main(void) {
  for (int by_thread = 0; by_thread < 2; by_thread++) {
    begun = ran = release_other = 0;
#pragma omp parallel num_threads(2)
    {
      if (omp_get_thread_num() == 0) {
        make_tasks(by_thread);
        ATOMIC_STORE(release_other, 1);
      } else {
        yield_until_begun(); // the scheduler may have dealt the task to this thread
        SPIN_UNTIL(ATOMIC_LOAD(release_other));
      }
    }
    CHECK_EQ(urgent_at, fulfilled_at + 1);
  }
  return 0;
}
