// The order of threads by their clocks: a heap of those that can run, and of sleepers with a deadline. The thread that
// runs is not in it. See scale.h.
#include <stdlib.h>
#include <string.h>

#include "runtime/virtual/machine.h"

namespace virtual_machine {
namespace {

Fiber* heap[kMaxFibers];
int heap_count = 0;
int users[kMaxCpus]; // threads on each CPU

// When the thread runs next, if nobody wakes it.
int64_t due(const Fiber* fiber) {
  return fiber->state == State::kBlocked ? fiber->deadline * 1000 : fiber->time.clock_ps;
}

bool before(const Fiber* a, const Fiber* b) { return due(a) != due(b) ? due(a) < due(b) : a->id < b->id; }

void put(Fiber* fiber, int index) {
  heap[index] = fiber;
  fiber->time.heap_index = index;
}

void sift_up(Fiber* fiber, int index) {
  for (; index > 0 && before(fiber, heap[(index - 1) / 2]); index = (index - 1) / 2) put(heap[(index - 1) / 2], index);
  put(fiber, index);
}

void sift_down(Fiber* fiber, int index) {
  for (int child; (child = 2 * index + 1) < heap_count; index = child) {
    if (child + 1 < heap_count && before(heap[child + 1], heap[child])) ++child;
    if (!before(heap[child], fiber)) break;
    put(heap[child], index);
  }
  put(fiber, index);
}

void insert(Fiber* fiber) { sift_up(fiber, heap_count++); }

void remove(Fiber* fiber) {
  int index = fiber->time.heap_index;
  fiber->time.heap_index = -1;
  Fiber* last = heap[--heap_count];
  if (last == fiber) return;
  if (index > 0 && before(last, heap[(index - 1) / 2]))
    sift_up(last, index);
  else
    sift_down(last, index);
}

void end_sleep(Fiber* fiber, int64_t at_ps) {
  fiber->state = State::kReady;
  if (fiber->time.clock_ps < at_ps) {
    fiber->time.asleep_ps += at_ps - fiber->time.clock_ps;
    fiber->time.clock_ps = at_ps;
  }
}

int free_cpu(const unsigned char* mask, size_t bytes) {
  int best = -1;
  for (int cpu = 0; cpu < chips * cores_per_chip; ++cpu) {
    if (mask != nullptr && (static_cast<size_t>(cpu / 8) >= bytes || (mask[cpu / 8] >> cpu % 8 & 1) == 0)) continue;
    if (best < 0 || users[cpu] < users[best]) best = cpu;
  }
  return best;
}

} // namespace

void spend(int64_t ps) { current->time.clock_ps += ps; }

int64_t clock_of_current_ns() { return current->time.clock_ps / 1000; }

Fiber* take_earliest() {
  if (heap_count == 0) return nullptr;
  Fiber* fiber = heap[0];
  remove(fiber);
  if (fiber->state == State::kBlocked) {
    fiber->timed_out = true;
    end_sleep(fiber, fiber->deadline * 1000);
  }
  return fiber;
}

void let_earlier_run() {
  if (heap_count == 0 || due(heap[0]) + costs.slack >= current->time.clock_ps) return;
  insert(current);
  switch_to(take_earliest());
}

void sleep_until_woken(int64_t deadline_ns) {
  ++events.sleeps;
  if (deadline_ns >= 0) insert(current);
  Fiber* next = take_earliest();
  if (next == nullptr) fail("deadlock: every thread sleeps");
  switch_to(next);
}

int wake_in_order(const void* address, int count, uint32_t bits) {
  int woken = 0;
  for (; woken < count; ++woken) {
    Fiber* longest = nullptr;
    for (int i = 0; i < width; ++i) {
      Fiber& fiber = fibers[i];
      if (fiber.state != State::kBlocked || fiber.waits_for != address || (fiber.wait_bits & bits) == 0) continue;
      if (longest == nullptr || fiber.time.clock_ps < longest->time.clock_ps) longest = &fiber;
    }
    if (longest == nullptr) break;
    if (longest->time.heap_index >= 0) remove(longest);
    spend(costs.wake);
    end_sleep(longest, current->time.clock_ps + costs.wake_latency);
    insert(longest);
    ++events.woken;
  }
  return woken;
}

void enter_machine(Fiber* fiber) {
  int cpu = free_cpu(nullptr, 0);
  if (users[cpu] > 0) events.crowded = true;
  ++users[cpu];
  fiber->time.cpu = cpu;
  ++events.threads;
  if (current == nullptr) return; // the first thread runs already
  spend(costs.thread);
  fiber->time.clock_ps = current->time.clock_ps + costs.thread_latency;
  insert(fiber);
}

void leave_machine(Fiber* fiber) { --users[fiber->time.cpu]; }

void move_to_mask(const unsigned char* mask, size_t bytes) {
  int cpu = current->time.cpu;
  if (static_cast<size_t>(cpu / 8) < bytes && (mask[cpu / 8] >> cpu % 8 & 1) != 0) return;
  int to = free_cpu(mask, bytes);
  if (to < 0) return;
  ++events.moves;
  --users[cpu];
  ++users[to];
  current->time.cpu = to;
}

void interrupt_running() {
  int running = 0;
  for (int i = 0; i < heap_count; ++i) {
    if (heap[i]->state != State::kReady) continue;
    heap[i]->time.clock_ps += costs.interrupt;
    ++running;
  }
  for (int i = heap_count / 2 - 1; i >= 0; --i) sift_down(heap[i], i);
  spend(costs.membarrier + running * costs.membarrier_cpu);
  ++events.membarriers;
}

} // namespace virtual_machine
