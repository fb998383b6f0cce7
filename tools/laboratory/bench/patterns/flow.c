// Producers and consumers around detached tasks, and tasks of eight priorities.
#include "harness.h"

#include <omp.h>
#include <string.h>

enum { kSlots = 64, kPriorities = 8 };

static uint64_t each(uint64_t n) { return n; }

// The transfer is a task of its own, whose end completes the producer.
static void start_transfer(uint64_t* slot, uint64_t value, omp_event_handle_t done) {
#pragma omp task firstprivate(slot, value, done)
  {
    *slot = value;
    omp_fulfill_event(done);
  }
}

// An item is three tasks: a producer that starts a transfer and returns, the transfer, and a consumer that depends on
// the producer. The slot must hold this item's value when the consumer sees it.
static bool run_detach(uint64_t n) {
  static uint64_t slots[kSlots], consumed[kSlots];
  memset(consumed, 0, sizeof consumed);
  for (uint64_t i = 0; i < n; i++) {
    uint64_t *slot = &slots[i % kSlots], *sum = &consumed[i % kSlots];
    omp_event_handle_t done = 0; // the task construct sets it
#pragma omp task detach(done) depend(out : slot[0]) firstprivate(slot, i)
    start_transfer(slot, i, done);
#pragma omp task depend(inout : slot[0]) firstprivate(slot, sum)
    *sum += *slot;
  }
#pragma omp taskwait
  uint64_t total = 0;
  for (int i = 0; i < kSlots; i++) total += consumed[i];
  return total == n * (n - 1) / 2;
}

static bool run_priority(uint64_t n) {
  for (uint64_t i = 0; i < n; i++) {
#pragma omp task priority((int)(i % kPriorities))
    bench_count();
  }
#pragma omp taskwait
  return bench_counted() == n;
}

static const bench_pattern patterns[] = {
    {"detach", kGenerator, 1 << 16, each, run_detach, 0},
    {"priority", kGenerator, 1 << 18, each, run_priority, 0},
};
BENCH_MAIN(patterns)
