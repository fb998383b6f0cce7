// A thread that takes another one's private tasks by force takes 64 at a time, at most: for so long its victim may have
// to wait for it.
// RUN: %clang-openmp -I%root/abi %s -o %t && env CHOMP_SCHEDULER=hierarchical %for-threads -t "2 3 8 33" %t
// RUN: env CHOMP_SCHEDULER=central %for-threads -t "2 3 8" %t
#include "support/check.h"
#include <omp.h>

#define CHOMP_WEAK
#include "chomp.h"

enum { kMost = 64, kTasks = 240 }; // not so many that new ones are run at once

static int made, ran;

static void check_revocations(void) {
  chomp_counters_t now = {.size = sizeof now};
  CHECK_EQ(chomp_read_total(&now), 0);
  CHECK(now.revoked_tasks <= kMost * now.revocations);
}

// Thread 0 makes tasks while nobody looks for any, and then does not touch its deque again.
static void stuck_owner(void) {
  made = ran = 0;
#pragma omp parallel
  {
    if (omp_get_thread_num() == 0) {
      for (int i = 0; i < kTasks; i++) {
#pragma omp task
        {
          check_revocations();
          burn(20000);
          ATOMIC_ADD(ran, 1);
        }
      }
      ATOMIC_STORE(made, 1);
      SPIN_UNTIL(ATOMIC_LOAD(ran) == kTasks);
    } else {
      SPIN_UNTIL(ATOMIC_LOAD(made));
    }
  }
}

int main(void) {
  for (int round = 0; round < 3; round++) stuck_owner();
  chomp_counters_t now = {.size = sizeof now};
  CHECK_EQ(chomp_read_total(&now), 0);
  CHECK(now.revoked_tasks > kMost);
  return 0;
}
