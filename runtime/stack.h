// Stacks never overflow from waiting: every task starts with at least half of the thread's stack size free. Below the
// watermark, a task runs on a fresh segment (stack.cpp).
#pragma once

#include "runtime/worker.h"

namespace chomp {

struct Member;

/// Sets the bounds and the watermark of the calling thread's stack.
void stack_init(Worker* worker);

inline bool stack_is_low(const Worker* worker) {
  return reinterpret_cast<uintptr_t>(__builtin_frame_address(0)) < worker->stack_watermark;
}

/// run_task_here() on a fresh segment of the configured stack size.
__attribute__((noinline)) void run_task_on_segment(Worker* worker, Member* member, Task* task);

/// Unmaps the worker's spare segments: its thread exits.
void stack_release_segments(Worker* worker);

} // namespace chomp
