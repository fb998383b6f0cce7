// The stacks of a worker: its thread's own, and the segments that deep recursion adds (stack.cpp, stack_overflow.cpp).
// Owner only.
#pragma once

#include <cstdint>

#include "runtime/base/os_linux.h"

namespace chomp {

struct StackState {
  uintptr_t watermark = 0;                // below it, tasks run on a fresh segment, unless `last_watermark` is lower
  uintptr_t last_watermark = 0;           // the lowest that `watermark` may become on its own stack
  uintptr_t low = 0, high = 0;            // bounds of the thread's own stack
  struct StackSegment* segment = nullptr; // the one that it runs on; null: its own stack
  struct StackSegment* spare = nullptr;   // segments that wait for use
  int segments_in_use = 0, segments_spare = 0;
  bool grows = false;            // the thread's own stack is the initial one (StackBounds)
  bool overflow_watched = false; // overflow_watch() has been called
  StackMapping signal_stack;     // low 0: none of ours
};

} // namespace chomp
