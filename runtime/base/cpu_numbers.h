// Numbers that stand for CPUs (alpi_cpu_logical_id). Libraries keep an object for each and use it without a lock, as
// where a number is a CPU that one task has to itself. Here a number belongs to a kernel thread, from when it first
// asks until it gives the number back: where it sleeps or ends, and where tasks may change if others wait for one, for
// there may be more threads than numbers. Proof: README.md, "Numbers that stand for CPUs".
#pragma once

#include <cstdint>

#include "runtime/base/atomic.h"
#include "runtime/base/check.h"

namespace chomp {

/// The calling kernel thread's.
struct OwnCpuNumber {
  int32_t number = -1; // −1: it has none; if others may take over, it may have lost this one
  int32_t thread = 0;  // thread_id(), once asked for
};
extern constinit __attribute__((tls_model("initial-exec"))) thread_local OwnCpuNumber own_cpu_number;

extern constinit atomic<bool> cpu_numbers_are_wanted; // by threads that wait for one

/// How many there are: what the first call wants, but not more than the machine has CPUs, since libraries are built for
/// so many (Task-Aware MPI is).
int cpu_numbers(int wanted);

/// The calling thread's number, of that many. It waits for one if there are too few, and runs nothing meanwhile: its
/// task has not come to a scheduling point.
int cpu_number_hold(int numbers);
CHOMP_SLOW void cpu_number_give_back();

/// The calling thread comes to where tasks may change.
inline void cpu_number_may_change() {
  // relaxed: a waiter waits until this is seen at some scheduling point.
  if (CHOMP_UNLIKELY(own_cpu_number.number >= 0) && cpu_numbers_are_wanted.load(std::memory_order_relaxed))
    cpu_number_give_back();
}

/// It is about to sleep until another thread wakes it, or to end.
inline void cpu_number_rest() {
  if (CHOMP_UNLIKELY(own_cpu_number.number >= 0)) cpu_number_give_back();
}

void cpu_numbers_reset_after_fork();

} // namespace chomp
