// Stack segments, so that stacks do not overflow from waiting: every task starts with at least half of the thread's
// stack size free. A task that would start below the watermark runs on a fresh segment (stack.cpp). Called by whatever
// runs tasks, and where threads start, sleep and end.
#pragma once

#include "runtime/core/worker.h"

namespace chomp {

struct Member;

struct StackSegment {
  StackSegment* next; // in use: the one below; spare: any
  StackMapping stack;
};

inline constexpr size_t kSegmentGuardBytes = 64 * 1024;

/// Sets the bounds and the watermark of the worker's stack: the calling thread's, or a light thread's.
void stack_init(Worker* worker, const StackBounds& bounds = current_stack_bounds());

/// From now on the worker runs every task by run_task_slow().
void stack_watch_every_task(Worker* worker);

/// The same for all workers, from this call on and for ever: the program has tasks that stop (wait/fiber.h).
void stack_watch_all_workers();
/// Whether that has been called. relaxed: a worker that must know has been told by its watermark.
extern atomic<bool> all_workers_watched;
inline bool tasks_may_stop() { return CHOMP_UNLIKELY(all_workers_watched.load(std::memory_order_relaxed)); }

/// While `watches`, waits and tasks take the slow path: a task graph is being recorded.
void stack_watch_waits(Worker* worker, bool watches);

/// The stack pointer, or what is near it. Not __builtin_frame_address(), which costs every caller a frame pointer.
inline uintptr_t stack_pointer() {
  uintptr_t result;
#if defined(__x86_64__)
  asm("mov %%rsp, %0" : "=r"(result));
#elif defined(__aarch64__)
  asm("mov %0, sp" : "=r"(result));
#elif defined(__riscv)
  asm("mv %0, sp" : "=r"(result));
#else
  result = reinterpret_cast<uintptr_t>(__builtin_frame_address(0));
#endif
  return result;
}

/// Whether a task that begins now would have too little of this stack. The initial thread's stack grows while it is
/// used. So there, after each part of it, this looks again how much the limits allow.
bool stack_is_low_slow(Worker* worker);
inline bool stack_is_low(Worker* worker) {
  return stack_pointer() < worker->stack.watermark && stack_is_low_slow(worker);
}

/// run_task_here() on a fresh segment of the configured stack size.
void run_task_on_segment(Worker* worker, Member* member, Task* task);

/// For fibers (fiber_stack.h): a segment that is in use until it is returned, but that the worker does not stand on
/// yet. When it is returned the worker keeps so many spare ones more than it has in use.
StackSegment* stack_take_segment(Worker* worker);
void stack_return_segment(Worker* worker, StackSegment* segment, int kept);
uintptr_t stack_watermark_of(const StackSegment* segment);
void stack_set_watermark(Worker* worker, uintptr_t watermark);

/// Calls function(argument), on a stack of its own if little is left of this one. Starting up needs that: it reads
/// files, and its thread may have the smallest stack that there is.
void call_with_room(void (*function)(void*), void* argument);

/// The stack that the worker's thread is on: a segment, or its own; low 0: not known.
StackBounds stack_in_use(const Worker* worker);

/// Called when a pool thread that used segments goes to sleep at the bottom of its stack. Gives its spare segments, and
/// the unused part of its own stack, back to the system.
void stack_give_back(Worker* worker);
inline void stack_rest(Worker* worker) {
  if (CHOMP_UNLIKELY(worker->stack.segments_spare > 0) && worker->stack.segments_in_use == 0 && !worker->thread.is_root)
    stack_give_back(worker);
}

/// Unmaps the worker's segments when its thread exits, perhaps inside a task; the thread is on its own stack again.
void stack_release_segments(Worker* worker);

} // namespace chomp
