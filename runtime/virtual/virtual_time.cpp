// The order of threads by their clocks: a heap of those that can run, and of sleepers with a deadline. The thread that
// runs is not in it. See scale.h.
#include <stdlib.h>
#include <string.h>

#include "runtime/virtual/machine.h"

namespace virtual_machine {
namespace {

// A thread that waits for its turn. The key stands here, so that the order is kept without a look at the threads
// themselves: with 1,024 of them each look would miss the real cache.
struct Waiting {
  int64_t due_ps;
  int id;
};

Waiting heap[kMaxFibers];
int heap_count = 0;
int place_of[kMaxFibers]; // of each thread in `heap`, plus 1; 0: it is not there
int users[kMaxCpus];      // threads on each CPU

// When the thread runs next, if nobody wakes it.
Waiting waiting(const Fiber* fiber) {
  return {fiber->state == State::kBlocked ? fiber->deadline * 1000 : fiber->time.clock_ps, fiber->id};
}

bool before(Waiting a, Waiting b) { return a.due_ps != b.due_ps ? a.due_ps < b.due_ps : a.id < b.id; }

void put(Waiting thread, int index) {
  heap[index] = thread;
  place_of[thread.id] = index + 1;
}

void sift_up(Waiting thread, int index) {
  for (; index > 0 && before(thread, heap[(index - 1) / 2]); index = (index - 1) / 2) put(heap[(index - 1) / 2], index);
  put(thread, index);
}

void sift_down(Waiting thread, int index) {
  for (int child; (child = 2 * index + 1) < heap_count; index = child) {
    if (child + 1 < heap_count && before(heap[child + 1], heap[child])) ++child;
    if (!before(heap[child], thread)) break;
    put(heap[child], index);
  }
  put(thread, index);
}

void insert(Fiber* fiber) { sift_up(waiting(fiber), heap_count++); }

void remove(Fiber* fiber) {
  int index = place_of[fiber->id] - 1;
  place_of[fiber->id] = 0;
  Waiting last = heap[--heap_count];
  if (last.id == fiber->id) return;
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

// The thread whose turn has come: if it slept, its deadline has passed.
Fiber* in_time(Fiber* fiber) {
  if (fiber->state == State::kBlocked) {
    fiber->timed_out = true;
    end_sleep(fiber, fiber->deadline * 1000);
  }
  return fiber;
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
  Fiber* fiber = &fibers[heap[0].id];
  remove(fiber);
  return in_time(fiber);
}

void let_earlier_run() {
  if (heap_count == 0 || heap[0].due_ps + costs.slack >= current->time.clock_ps) return;
  Fiber* next = &fibers[heap[0].id];
  place_of[next->id] = 0;
  sift_down(waiting(current), 0); // in its place
  switch_to(in_time(next));
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
    if (place_of[longest->id] != 0) remove(longest);
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
    Fiber& fiber = fibers[heap[i].id];
    if (fiber.state != State::kReady) continue;
    fiber.time.clock_ps += costs.interrupt;
    heap[i] = waiting(&fiber);
    ++running;
  }
  for (int i = heap_count / 2 - 1; i >= 0; --i) sift_down(heap[i], i);
  spend(costs.membarrier + running * costs.membarrier_cpu);
  ++events.membarriers;
}

} // namespace virtual_machine
