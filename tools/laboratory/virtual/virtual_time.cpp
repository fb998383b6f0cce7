// The order of threads by their clocks: a heap of those that can run, and of sleepers with a deadline. The thread that
// runs is not in it. See scale.h.
#include <stdlib.h>
#include <string.h>

#include "tools/laboratory/virtual/machine.h"

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

// Whether the thread whose turn has come runs. If it slept, its deadline has passed, and it needs a CPU.
bool in_time(Fiber* fiber) {
  if (fiber->state != State::kBlocked) return true;
  fiber->timed_out = true;
  end_sleep(fiber, fiber->deadline * 1000);
  return take_cpu(fiber);
}

void switch_to_earliest() {
  Fiber* next = take_earliest();
  if (next == nullptr) fail("deadlock: every thread sleeps");
  switch_to(next);
}

} // namespace

void spend(int64_t ps) { current->time.clock_ps += at_speed_of(current, ps); }

void begin_to_wait(Fiber* fiber) { insert(fiber); }

int64_t clock_of_current_ns() { return current->time.clock_ps / 1000; }

Fiber* take_earliest() {
  while (heap_count > 0) {
    Fiber* fiber = &fibers[heap[0].id];
    remove(fiber);
    if (in_time(fiber)) return fiber;
  }
  return nullptr;
}

void let_earlier_run() {
  if (current->time.clock_ps > limit_ps) fail("no end within the virtual time allowed");
  if (current->time.clock_ps >= next_loss_ps(current)) lose_time();
  if (current->time.clock_ps >= current->time.slice_end_ps && give_way()) return switch_to_earliest();
  while (heap_count > 0 && heap[0].due_ps + costs.slack < current->time.clock_ps) {
    Fiber* next = &fibers[heap[0].id];
    if (next->state == State::kBlocked) {
      remove(next);
      if (!in_time(next)) continue;
      insert(current);
    } else {
      place_of[next->id] = 0;
      sift_down(waiting(current), 0); // in its place
    }
    return switch_to(next);
  }
}

void yield_cpu() {
  current->time.slice_end_ps = 0;
  let_earlier_run();
}

void sleep_until_woken(int64_t deadline_ns) {
  ++events.sleeps;
  give_cpu(current);
  if (deadline_ns >= 0) insert(current);
  switch_to_earliest();
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
    if (take_cpu(longest)) insert(longest);
    ++events.woken;
  }
  return woken;
}

void enter_machine(Fiber* fiber) {
  ++events.threads;
  put_on_cpu(fiber);
  if (current == nullptr) { // the first thread runs already
    take_cpu(fiber);
    return;
  }
  spend(costs.thread);
  fiber->time.clock_ps = current->time.clock_ps + costs.thread_latency;
  if (take_cpu(fiber)) insert(fiber);
}

void move_to_mask(const unsigned char* mask, size_t bytes) {
  if (bind_to_mask(mask, bytes)) switch_to_earliest();
}

void forget_other_fibers() {
  heap_count = 0;
  memset(place_of, 0, sizeof place_of);
  forget_other_threads();
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
  bool slow = costs.slow_fence_one_of > 0 && random_below(static_cast<uint32_t>(costs.slow_fence_one_of)) == 0;
  spend(slow ? costs.slow_fence : costs.membarrier + running * costs.membarrier_cpu);
  ++events.membarriers;
}

} // namespace virtual_machine
