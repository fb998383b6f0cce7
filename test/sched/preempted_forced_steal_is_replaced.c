// A thread that loses its CPU while it takes another one's private tasks by force keeps the other thieves from doing
// the same for a moment only. Here it is the system call in the middle of that which does not return before somebody
// else has got tasks, of another victim.
// UNSUPPORTED: sanitizer-address, sanitizer-thread
// RUN: %clang -O2 -Wall -Wextra -shared -fPIC %root/test/support/many_cpus.c -o %t.so -ldl
// RUN: %clang-openmp -I%root/abi -rdynamic %s -o %t -ldl
// RUN: env KMP_BLOCKTIME=infinite %for-threads -t "4 6 8" env LD_PRELOAD=%t.so %t
#include "support/check.h"
#include "support/system_calls.h"
#include <linux/membarrier.h>
#include <omp.h>
#include <stdint.h>

#define CHOMP_WEAK
#include "chomp.h"

enum { kTasks = 50, kVictims = 2 };

static int made, ran, armed, stopped;

static uint64_t revocations(void) {
  chomp_counters_t now = {.size = sizeof now};
  CHECK_EQ(chomp_read_total(&now), 0);
  return now.revocations;
}

// Between the limit of a deque that a thief lowers and its look at what is left the thief interrupts all CPUs.
static void on_system_call(long number, const long* argument) {
  if (number != SYS_membarrier || argument[0] != MEMBARRIER_CMD_PRIVATE_EXPEDITED) return;
  int yes = 1;
  if (!__atomic_compare_exchange_n(&armed, &yes, 0, 0, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED)) return;
  CHECK(revocations() >= 1); // nobody goes to sleep here, so it is one; two where the first thief really loses its CPU
  ATOMIC_STORE(stopped, 1);
  SPIN_UNTIL(ATOMIC_LOAD(ran) > 0);
}

// For the library yields are never costly, so that its threads do not sleep, though there are fewer CPUs than it sees.
int sched_yield(void) { return 0; }

// Two threads make tasks while nobody looks for any, and then do not touch their deques again.
static void two_stuck_owners(void) {
#pragma omp parallel
  {
    if (omp_get_thread_num() < kVictims) {
      for (int i = 0; i < kTasks; i++)
#pragma omp task
        ATOMIC_ADD(ran, 1);
      ATOMIC_ADD(made, 1);
      SPIN_UNTIL(ATOMIC_LOAD(ran) == kVictims * kTasks);
    } else {
      SPIN_UNTIL(ATOMIC_LOAD(made) == kVictims);
    }
  }
}

int main(void) {
#pragma omp parallel
  CHECK(omp_get_num_threads() > kVictims + 1);
  if (real_syscall(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0, 0) != 0) return 77; // the library does without
  uint64_t before = revocations();
  CHECK_EQ(before, 0);
  ATOMIC_STORE(armed, 1);
  two_stuck_owners();
  CHECK(ATOMIC_LOAD(stopped));
  return 0;
}
