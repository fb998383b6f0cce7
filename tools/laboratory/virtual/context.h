// A thread of the process whose registers and stack the machine has taken over, so that one thread of the kernel can
// run them all (scheduler.cpp). Switching between two costs some 20 ns; no system call is made where the CPU lets
// programs write the register of thread-local data.
#pragma once

#include <stddef.h>
#include <stdint.h>

namespace virtual_machine {

struct Context {
  void* stack = nullptr;        // its registers lie on top of it while it does not run
  void* thread_block = nullptr; // what the register of thread-local data holds while it runs
};

/// Once per process, before the first switch.
void prepare_contexts();

/// The thread block of whoever calls.
void* own_thread_block();

/// Saves the caller in `from` and goes on with `to`. Returns when somebody switches to `from`.
void switch_context(Context* from, const Context* to);

/// A context that begins with `entry(argument)` on the stack of `bytes` that begins at `memory`; `entry` never returns.
Context new_context(void* memory, size_t bytes, void (*entry)(void*), void* argument, void* thread_block);

} // namespace virtual_machine
