// The events of tasks that other threads take, of each kind: each round waits, without helping, until another thread
// has run one of its tasks. Checked by a tool (checker.c), under each scheduler: events_pair_when_tasks_are_stolen.
#include <omp.h>

#include "support/check.h"

enum { kRounds = 20, kTasks = 8 };

static int elsewhere, done;

static void task(int maker) {
  if (omp_get_thread_num() != maker) __atomic_fetch_add(&elsewhere, 1, __ATOMIC_RELAXED);
  __atomic_fetch_add(&done, 1, __ATOMIC_RELAXED);
}

static void wait_until_stolen(void) { SPIN_UNTIL(__atomic_load_n(&elsewhere, __ATOMIC_RELAXED) > 0); }

static void make(int kind, int maker) {
  char cell[kTasks];
  for (int i = 0; i < kTasks; ++i) switch (kind) {
    case 0:
#pragma omp task
      task(maker);
      break;
    case 1:
#pragma omp task untied
    {
      task(maker);
#pragma omp taskyield
    } break;
    case 2:
#pragma omp task depend(inout : cell[i % 4])
      task(maker);
      break;
    case 3: {
      omp_event_handle_t event;
#pragma omp task detach(event)
      {
        task(maker);
        omp_fulfill_event(event);
      }
      break;
    }
    case 4: // with children of its own, for which it waits
#pragma omp task
    {
      int own = omp_get_thread_num();
#pragma omp task
      (void)own;
#pragma omp taskwait
      task(maker);
    } break;
    default:
#pragma omp task mergeable priority(i)
      task(maker);
    }
  wait_until_stolen();
#pragma omp taskwait
}

int main(void) {
  int rounds = 0;
#pragma omp parallel num_threads(3)
#pragma omp single
  for (int i = 0; i < kRounds; ++i)
    for (int kind = 0; kind < 6; ++kind) {
      elsewhere = 0;
      make(kind, omp_get_thread_num());
      ++rounds;
    }
  CHECK_EQ(rounds, 6 * kRounds);
  CHECK_EQ(done, rounds * kTasks);
  return 0;
}
