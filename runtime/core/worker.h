// A worker: what chomp keeps for one thread of the process. Records are made once, never unmapped; the next thread that
// registers adopts the record of a thread that exited, with its memory. The gtid is the record's index.
#pragma once

#include <cstdint>

#include "runtime/base/cacheline.h"
#include "runtime/base/check.h"
#include "runtime/core/memory_state.h"
#include "runtime/core/task.h"
#include "runtime/graphs/graphs_state.h"
#include "runtime/observe/observe_state.h"
#include "runtime/stealing/stealing_state.h"
#include "runtime/stacks/stack_state.h"
#include "runtime/sync/wait_state.h"
#include "runtime/tasks/tasks_state.h"
#include "runtime/teams/teams_state.h"
#include "runtime/threads/thread_state.h"

namespace chomp {

struct Member;
struct Team;

struct alignas(kCacheLine) Worker {
  // Hot: owner only.
  Task* current = nullptr;            // the task that runs now
  Member* member = nullptr;           // the member in the current team
  atomic<uintptr_t> run_watermark{0}; // with the stack pointer below it, run_task() takes the slow path (task_run.h)
  int32_t gtid = 0;
  uint16_t id = 0; // gtid + 1: what Task::owner holds
  MemoryState memory;

  // Cold: what each folder keeps. Its own header says who writes it.
  WaitState wait; // begins with the line that wakers write
  ThreadState thread;
  TeamsState teams;
  StackState stack;
  TasksState tasks;
  StealingState stealing;
  GraphsState graphs;
  ObserveState observe;
};

extern constinit __attribute__((tls_model("initial-exec"))) thread_local Worker* tls_worker;

/// Registers the calling thread (threads/thread_pool.cpp): starts the runtime if needed, and gives the thread a record,
/// a gtid and an initial team.
CHOMP_SLOW Worker* worker_register_slow();

/// The calling thread's record; registers a thread that chomp does not know yet.
inline Worker* this_worker() {
  Worker* worker = tls_worker;
  if (CHOMP_UNLIKELY(worker == nullptr)) worker = worker_register_slow();
  return worker;
}

inline constexpr int kMostWorkers = 1 << 15;

/// The record with that gtid; null if never used.
Worker* worker_by_gtid(int gtid);

/// Makes the record of that gtid, which is the next one. Called under the lock of threads/thread_pool.cpp.
Worker* worker_make(int gtid);

} // namespace chomp
