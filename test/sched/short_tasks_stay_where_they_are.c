// Tasks that are shorter than a hand-over are not handed over, though another thread has nothing to do; tasks that are
// long are, also when they come after short ones, and when few of them are among short ones.
// RUN: %clang-openmp -I%root/abi %s -o %t
// RUN: env CHOMP_SCHEDULER=hierarchical %chomp-run %t
// RUN: env CHOMP_SCHEDULER=sherwood %chomp-run %t
// RUN: env CHOMP_SCHEDULER=steal %chomp-run %t
// RUN: env CHOMP_SCHEDULER=depth %chomp-run %t
// RUN: env CHOMP_SCHEDULER=central %chomp-run %t
#include "support/undisturbed.h"
#include <omp.h>

#define CHOMP_WEAK
#include "chomp.h"

enum { kShort = SCALED(100000), kLong = 200 };

static chomp_counters_t total(void) {
  chomp_counters_t counters = {.size = sizeof counters};
  CHECK_EQ(chomp_read_total(&counters), 0);
  return counters;
}

static void short_tasks(void) {
  for (int i = 0; i < kShort; i++) {
#pragma omp task
    {
    }
  }
#pragma omp taskwait
}

/// Whether few of the tasks were handed over while they were made; a try in which nobody asked for some says nothing.
static int stay(void) {
  chomp_counters_t before = total();
  short_tasks();
  chomp_counters_t after = total();
  if (after.probes == before.probes && after.published == before.published) return -1;
  return after.published - before.published < kShort / 100;
}

/// How many of the long tasks another thread has run; `among` short ones are made before each.
static int shared_long_tasks(int among) {
  int creator = omp_get_thread_num(), elsewhere = 0;
  for (int i = 0; i < kLong; i++) {
    for (int j = 0; j < among; j++) {
#pragma omp task
      {
      }
    }
#pragma omp task shared(elsewhere)
    {
      burn(20000);
      if (omp_get_thread_num() != creator) ATOMIC_ADD(elsewhere, 1);
    }
  }
#pragma omp taskwait
  return elsewhere;
}

static int long_ones_are_shared(void) { return shared_long_tasks(0) >= kLong / 10; }
/// Those who are asleep need not be woken for few long tasks among short ones; those who look for work find some.
static int long_ones_among_short_ones_are_shared(void) {
  return shared_long_tasks(0) == 0 ? -1 : shared_long_tasks(10) > 0;
}

int main(void) {
  if (sysconf(_SC_NPROCESSORS_ONLN) < 2) return 77; // whether threads spin depends on it
#pragma omp parallel num_threads(2)
#pragma omp single
  {
    CHECK_EQ(omp_get_num_threads(), 2);
    for (int round = 0; round < 2; round++) {
      holds_nearly_always(stay);
      holds_in_a_share(long_ones_are_shared);
      holds_in_a_share(long_ones_among_short_ones_are_shared);
    }
  }
  return 0;
}
