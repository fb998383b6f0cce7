// The thread that has a worker's record. The worker itself writes it, or whoever has the lock of thread_pool.cpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <pthread.h>

#include "runtime/base/atomic.h"
#include "runtime/base/lock.h"

namespace chomp {

struct Member;
struct Worker;

/// The threads that the worker wants made: it and each new one make them (runtime/large_machines.md, "Starts").
struct Births {
  Lock lock; // of the rest; whoever has it waits for nothing
  Worker** records = nullptr;
  int next = 0, end = 0;         // nobody has taken records[next … end − 1] yet
  atomic<bool> some_left{false}; // next != end, for those that do not have the lock: they need not queue for it
  atomic<int> awaited{0};        // those, and those whose thread is being made
};

struct ThreadState {
  Member* initial_member = nullptr;         // a root thread's own serial team
  Member* agent_member = nullptr;           // of the team that it has as a free agent
  Worker* next_free = nullptr;              // pool of idle threads, or of records without a thread
  bool is_root = false;                     // a thread of the program (not made by chomp)
  int16_t bound_place = -1;                 // the place it is bound to, or a value of threads/binding.h
  int32_t shown_level = 0, shown_size = 1;  // of the team for which OMP_DISPLAY_AFFINITY has shown it
  atomic<Member*> assigned_member{nullptr}; // of a thread of the pool: the member that it serves next
  pthread_t handle{};
  struct LightThread* light = nullptr; // its place among those of its kernel thread (wait/light_thread.h); or null
  size_t stack_bytes = 0;              // what the thread has been promised for its frames
  Worker* wanted_by = nullptr;         // whose births the new thread looks at; null: its maker makes all by itself
  Births births;
  int makers_cpu = -1;     // the CPU that its first mask lacks, until it adds that; -1: it has its maker's mask
  uint32_t first_mask = 0; // CpuMask::hash()
};

} // namespace chomp
