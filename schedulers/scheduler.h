// A scheduler decides where a task that left its creator's private deque waits, and who takes it next. It is a small
// table of operations on batches; the hot path (private deques, runtime/private_deque.h) is the runtime's and the same
// for all.
//
// Called by: runtime/publish.cpp and runtime/work_loop.cpp. A scheduler sees runtime/base/, runtime/topology.h and a
// task's queue hook, nothing else. All state is per team; the runtime zeroes it, aligned to a cache line, before
// init().
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace chomp {

/// A task's place in a queue. The links belong to the scheduler from publish() until acquire() returns the task.
struct QueueHook {
  QueueHook* next;
  QueueHook* prev;
};

/// Tasks in the order of their creation, oldest first, linked through `next`.
struct TaskBatch {
  QueueHook* oldest = nullptr;
  QueueHook* newest = nullptr;
  unsigned count = 0;
};

/// Says whether the worker that acquires may run a task now (the task scheduling constraint, OpenMP 5.2, 12.9).
struct Eligible {
  bool (*may_run)(void* context, QueueHook* task);
  void* context;
};

/// The members of a team and the domains (chips) they sit in.
struct TeamShape {
  int size = 1;                               // members
  int domain_count = 1;                       // domains that have members
  const uint16_t* domain_of_member = nullptr; // [size]
  const uint16_t* domain_size = nullptr;      // [domain_count] members in each
  const uint16_t* physical_domain = nullptr;  // [domain_count] index into topology, for distances
};

struct Scheduler {
  const char* name;
  const char* alias;
  /// Bytes of state for a team of this shape.
  size_t (*state_size)(const TeamShape&);
  void (*init)(void* state, const TeamShape&);
  /// Makes the tasks of the batch available to others. Takes one lock. May be called by any member, or with the member
  /// number 0 by a thread outside the team (a completed event).
  void (*publish)(void* state, int member, TaskBatch);
  /// A task that `member` may run, or null. Eligible::may_run is called with a lock of the scheduler held.
  QueueHook* (*acquire)(void* state, int member, Eligible);
  /// The word that `member` looks at after a push, a pop and before each task body: non-zero when somebody is hungry.
  const std::atomic<uint32_t>* (*hunger_word)(void* state, int member);
  /// `member` begins or ends being hungry. Calls alternate.
  void (*set_hungry)(void* state, int member, bool hungry);
  /// How many tasks `member` should publish now, given that somebody is hungry; 0: enough is waiting already.
  unsigned (*wanted)(void* state, int member);
  /// Whether any published task waits anywhere in the team. May be stale; exact after a heavy fence.
  bool (*has_tasks)(void* state);
};

/// The scheduler of that name or alias, or null.
const Scheduler* scheduler_find(const char* name);

/// Names and aliases of all schedulers, for settings and messages.
const char* const* scheduler_names(int* count);

} // namespace chomp
