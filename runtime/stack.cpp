// Stack segments. A segment is a mapping of the configured stack size with a guard page below, committed lazily by the
// system and cached by the worker that made it. Entering and leaving is __morestack (stack_switch_*.S): a few lines of
// assembly with unwind information; gdb accepts a stack that jumps upwards only behind a frame of that name.
#include "runtime/stack.h"

#include "runtime/base/os_linux.h"
#include "runtime/config.h"
#include "runtime/task_run.h"
#include "runtime/team.h"

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define CHOMP_ASAN 1
#include <sanitizer/common_interface_defs.h>
#endif
#endif

namespace chomp {

struct StackSegment {
  StackSegment* next;
  StackMapping stack;
};

/// Calls function(argument) with the stack pointer at `stack_high`.
extern "C" void chomp_call_on_stack(void (*function)(void*), void* argument, uintptr_t stack_high) asm("__morestack");

namespace {

constexpr size_t kGuardBytes = 64 * 1024;

StackSegment* take_segment(Worker* worker) {
  StackSegment* segment = worker->spare_segments;
  if (segment != nullptr) {
    worker->spare_segments = segment->next;
    return segment;
  }
  StackMapping stack = map_stack(config.stack_size, kGuardBytes);
  if (stack.low == 0)
    fatal("out of memory for a stack segment of %zu bytes; tasks nest too deeply for what is left (see OMP_STACKSIZE)",
          config.stack_size);
  segment = static_cast<StackSegment*>(object_allocate(worker, sizeof(StackSegment)));
  segment->stack = stack;
  worker->counters.stack_segments.add();
  return segment;
}

void give_segment(Worker* worker, StackSegment* segment) {
  segment->next = worker->spare_segments;
  worker->spare_segments = segment;
}

uintptr_t watermark_of(uintptr_t low, uintptr_t high) {
  size_t half = (high - low) / 2;
  if (half > config.stack_size / 2) half = config.stack_size / 2;
  return low + half;
}

// Tasks may be cancelled, or are observed: every one is looked at, so every stack pointer counts as low.
void set_watermark(Worker* worker, uintptr_t watermark) {
  worker->stack_watermark = watermark;
  worker->run_watermark = worker->every_task_is_watched ? UINTPTR_MAX : watermark;
}

struct Call {
  Worker* worker;
  Member* member;
  Task* task;
#ifdef CHOMP_ASAN
  void* fake_stack;
  const void* old_bottom;
  size_t old_size;
#endif
};

void run_on_this_stack(void* argument) {
  auto* call = static_cast<Call*>(argument);
#ifdef CHOMP_ASAN
  __sanitizer_finish_switch_fiber(nullptr, &call->old_bottom, &call->old_size);
#endif
  run_task_here(call->worker, call->member, call->task, call->worker->current, call->member->deque.mark);
#ifdef CHOMP_ASAN
  __sanitizer_start_switch_fiber(nullptr, call->old_bottom, call->old_size);
#endif
}

} // namespace

void stack_init(Worker* worker) {
  worker->every_task_is_watched = config.cancellation;
  StackBounds bounds = current_stack_bounds();
  worker->stack_low = bounds.low;
  worker->stack_high = bounds.high;
  set_watermark(worker, config.stack_segments && bounds.low != 0 ? watermark_of(bounds.low, bounds.high) : 0);
}

void stack_watch_every_task(Worker* worker) {
  worker->every_task_is_watched = true;
  set_watermark(worker, worker->stack_watermark);
}

void run_task_on_segment(Worker* worker, Member* member, Task* task) {
  StackSegment* segment = take_segment(worker);
  worker->counters.stack_switches.add();
  uintptr_t watermark = worker->stack_watermark;
  set_watermark(worker, watermark_of(segment->stack.low, segment->stack.high));
  Call call{};
  call.worker = worker;
  call.member = member;
  call.task = task;
#ifdef CHOMP_ASAN
  __sanitizer_start_switch_fiber(&call.fake_stack, reinterpret_cast<void*>(segment->stack.low),
                                 segment->stack.high - segment->stack.low);
#endif
  chomp_call_on_stack(run_on_this_stack, &call, segment->stack.high);
#ifdef CHOMP_ASAN
  __sanitizer_finish_switch_fiber(call.fake_stack, nullptr, nullptr);
#endif
  set_watermark(worker, watermark);
  give_segment(worker, segment);
}

void call_with_room(void (*function)(void*), void* argument) {
#ifndef CHOMP_ASAN // would have to be told, and makes frames larger than anybody's smallest stack
  constexpr size_t kRoom = 64 * 1024, kBytes = 256 * 1024;
  StackBounds bounds = current_stack_bounds();
  if (bounds.low != 0 && stack_pointer() - bounds.low < kRoom) {
    StackMapping stack = map_stack(kBytes, kGuardBytes);
    if (stack.low != 0) {
      chomp_call_on_stack(function, argument, stack.high);
      return unmap_stack(stack);
    }
  }
#endif
  function(argument);
}

void stack_release_segments(Worker* worker) {
  while (StackSegment* segment = worker->spare_segments) {
    worker->spare_segments = segment->next;
    unmap_stack(segment->stack);
    object_free(worker, segment, sizeof(StackSegment));
  }
}

} // namespace chomp
