// Tasks with a priority that are shorter than a hand-over are run by their creator once it has made many, though
// another thread has nothing to do; long ones are shared, also when they come after short ones, and also while their
// creator is stuck where OpenMP does not see it. A task that runs when it is made lets more urgent ones run first.
// UNSUPPORTED: sanitizer-thread
// RUN: %clang-openmp -I%root/abi %s -o %t
// RUN: env OMP_MAX_TASK_PRIORITY=8 CHOMP_SCHEDULER=hierarchical %chomp-run %t
// RUN: env OMP_MAX_TASK_PRIORITY=8 CHOMP_SCHEDULER=steal %chomp-run %t
// RUN: env OMP_MAX_TASK_PRIORITY=8 CHOMP_SCHEDULER=central %chomp-run %t
#include "support/undisturbed.h"
#include <omp.h>

#define CHOMP_WEAK
#include "chomp.h"

enum { kPriorities = 8, kShort = SCALED(64000), kLong = 200, kWaitedFor = 64 };

static chomp_counters_t total(void) {
  chomp_counters_t counters = {.size = sizeof counters};
  CHECK_EQ(chomp_read_total(&counters), 0);
  return counters;
}

/// Returns how many of the tasks another thread has run.
static int tasks(int count, int rounds) {
  int creator = omp_get_thread_num(), elsewhere = 0, ran = 0;
  for (int i = 0; i < count; i++) {
#pragma omp task priority(i % kPriorities) shared(elsewhere, ran)
    {
      if (rounds > 0) burn(rounds);
      if (omp_get_thread_num() != creator) ATOMIC_ADD(elsewhere, 1);
      ATOMIC_ADD(ran, 1);
    }
  }
#pragma omp taskwait
  CHECK_EQ(ran, count);
  return elsewhere;
}

/// Whether few of the short tasks ran elsewhere; a try in which no other member asked for some says nothing.
static int stay(void) {
  chomp_counters_t before = total();
  int elsewhere = tasks(kShort, 0);
  chomp_counters_t after = total();
  return after.probes == before.probes ? -1 : elsewhere < kShort / 10;
}

/// Short tasks have just been made; now the creator waits for others, outside of all scheduling points.
static void while_the_creator_is_stuck(void) {
  int ran = 0;
  for (int i = 0; i < kWaitedFor; i++)
#pragma omp task priority(1 + i % (kPriorities - 1)) shared(ran)
    __atomic_fetch_add(&ran, 1, __ATOMIC_RELEASE); // the creator goes on when it sees the last one
  SPIN_UNTIL(ATOMIC_LOAD(ran) == kWaitedFor);
}

static int long_ones_are_shared(void) { return tasks(kLong, 20000) >= kLong / 10; }

int main(void) {
  if (sysconf(_SC_NPROCESSORS_ONLN) < 2) return 77; // whether threads spin depends on it
#pragma omp parallel num_threads(2)
#pragma omp single
  {
    CHECK_EQ(omp_get_num_threads(), 2);
    for (int round = 0; round < 2; round++) {
      holds_in_a_share(stay);
      while_the_creator_is_stuck();
      holds_in_a_share(long_ones_are_shared);
    }
  }
  return 0;
}
