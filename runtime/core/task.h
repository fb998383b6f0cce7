// A task: one 64-byte header, followed by the compiler's kmp_task_t (the payload).
//
// Life: allocated (task_alloc.h) → filled by the compiled code → spawned (task_spawn.h) → waits in a private deque
// or with the scheduler → run (task_run.h) → finished (task_finish.h) → memory reused. How:
// runtime/how_a_task_moves.md.
//
// | field           | written by                                        | may be read by                            |
// |-----------------|---------------------------------------------------|-------------------------------------------|
// | next, prev      | the scheduler while queued; its runner: `next` is | the same                                  |
// |                 | the task suspended below on the stack             |                                           |
// | parent          | the creator, before anybody else sees it          | everybody, even after reuse (an ancestor  |
// |                 |                                                   | walk)                                     |
// | taskgroup       | the creator; its runner, in taskgroups            | its runner, its queue's lock holder       |
// | local_children  | the worker that runs the task; once it has ended, | the same; its children's finishers        |
// |                 | its finisher: FinishedTask                        |                                           |
// | shared_children | everybody, by read-modify-write                   | a child's holder, the task's runner       |
// | identity        | the creator; the worker that runs it (owner)      | everybody, even after reuse               |
// | flags           | the creator, the exporter, the runner             | the same                                  |
// | extra           | the creator, the runner                           | the same; the finisher                    |
//
// In a free block shared_children, local_children and extra are zero: the worker that frees a block clears those that
// were used. Blocks are never unmapped and a header stays a header when its memory is reused, so a stale pointer reads
// garbage that is still a header: see descends() in constraint.cpp.
#pragma once

#include <cstdint>

#include "runtime/base/atomic.h"
#include "runtime/base/check.h"
#include "runtime/base/policy.h"
#include "runtime/observe/tool_state.h"
#include "schedulers/scheduler.h"

namespace chomp {

struct Taskgroup;
struct TaskExtra;
struct Worker;

/// The compiler's view of a task (kmp_task_t; layout fixed by the ABI). Privates and shareds follow.
struct __attribute__((may_alias)) TaskPayload {
  using Entry = int32_t (*)(int32_t gtid, void* payload);
  void* shareds;
  Entry routine;
  int32_t part_id;
  union {
    int32_t priority;
    Entry destructors;
  } data1;
  union {
    int32_t priority;
    Entry destructors;
  } data2;
};
static_assert(sizeof(TaskPayload) == 40);

/// The payload of a task whose routine is the library's own: GCC's code gives a function of one pointer, `shareds`.
struct BodyPayload : TaskPayload {
  using Body = void (*)(void* shareds);
  static constexpr int32_t kPart = -1; // part_id: no compiler's
  Body body;

  void set_body(Body of_program) {
    body = of_program;
    part_id = kPart;
  }
};

/// Where the program's code of the task begins.
inline uintptr_t code_of(const TaskPayload* payload) {
  if (payload->part_id != BodyPayload::kPart) return reinterpret_cast<uintptr_t>(payload->routine);
  return reinterpret_cast<uintptr_t>(static_cast<const BodyPayload*>(payload)->body);
}

enum TaskFlags : uint32_t {
  // What is known when a task is made; abi/ decodes it from the compiler's flags.
  kTied = 1u << 0,
  kFinal = 1u << 1,
  kDestructors = 1u << 3, // copied objects, which data1.destructors destroys, or the task's body if that is null
  kPrioritySpecified = 1u << 5,
  kDetachable = 1u << 6,
  kMakersFlags = kTied | kFinal | kDestructors | kPrioritySpecified | kDetachable,
  // The index of the task's internal control variables in ChangedIcvs::table (icv.h).
  kIcvShift = 8,
  kIcvMask = 0xffu << kIcvShift,
  kPool = 1u << 16,    // threadset(omp_pool): a free agent may run it (threads/free_agents.h)
  kOwnIcvs = 1u << 17, // no index: the block is the task's own, or that of its parent, which waits (icv.cpp)
  // What becomes of it.
  kRecords = 1u << 4,  // it makes a task graph's record (task_graph.h), or, in a new task, its creator does
  kObserved = 1u << 2, // observers follow it (events.h); extra is an ObservedTask
  kExported = 1u << 7, // counted at its member and group: it left its creator's deque, or waits (termination.h)
  kImplicit = 1u << 18,
  kSelfRequeued = 1u << 19,    // an untied task handed itself to __kmpc_omp_task: its invoker calls it again
  kCalledByProgram = 1u << 20, // after begin_if0: the compiled code calls the task, once
  kHasAffinity = 1u << 21,     // extra->affinity is set, or the task is transparent, or runs at once
  kHasDependences = 1u << 22,  // extra->dependence is set
  kUncounted = 1u << 23,       // not counted at its parent: an undeferred task ends before its parent goes on
  kHasExtra = 1u << 24,        // extra is set
  kHeld = 1u << 25,            // detached: shared_children holds one for the task itself
  kSizeClassShift = 26,        // 6 bits: the block's size class (memory.h)
  // Anything that finish_task() has to treat out of line.
  kSlowAtFinish =
      kDestructors | kDetachable | kHasDependences | kHasExtra | kUncounted | kExported | kObserved | kOwnIcvs,
  // Anything that task_spawn() has to treat out of line.
  kSlowAtSpawn = kFinal | kRecords | kDetachable | kPrioritySpecified | kHasAffinity | kObserved | kOwnIcvs | kPool,
  // What a child has from its parent: final (OpenMP 5.2, 12.3), the internal control variables, and whether it is
  // observed, or recorded.
  kInherited = kFinal | kIcvMask | kOwnIcvs | kObserved | kRecords,
  // The children of such a task run when they are made.
  kIncludes = kFinal | kOwnIcvs,
};

// Each of the 32 bits has one meaning, and no bit is free. The compiler's bits 2, 4 and 7 (mergeable, proxy, threadset)
// reach no task: abi/ decodes them.
static_assert(uint64_t{kMakersFlags} + kIcvMask + kPool + kOwnIcvs + kRecords + kObserved + kExported + kImplicit +
                  kSelfRequeued + kCalledByProgram + kHasAffinity + kHasDependences + kUncounted + kHasExtra + kHeld +
                  (0x3fu << kSizeClassShift) ==
              UINT32_MAX);

struct alignas(64) Task : QueueHook {
  atomic<Task*> parent;
  Taskgroup* taskgroup;            // the innermost that the task is in, or null
  atomic<int64_t> shared_children; // counts in units of kOneChild and kOneHold, kWaiting, kMerged
  uint32_t local_children;         // modulo 2^32; the number of children is local + shared
  uint32_t flags;
  atomic<uint64_t> identity; // owner, root, depth: see below
  TaskExtra* extra;

  static constexpr int64_t kWaiting = 1; // its worker is parked: the child that brings the count to zero wakes it
  static constexpr int64_t kMerged = 2;  // the task has finished: the child that brings the count to zero frees it
  // A header is held by each child that has finished and has itself a header that is held or unfinished children: an
  // ancestor walk gets past them (constraint.cpp).
  static constexpr int64_t kOneHold = 4, kHolds = 0xfffffffc;
  static constexpr int64_t kOneChild = int64_t{1} << 32;

  // identity = depth << 32 | root << 16 | owner. It is one word, so that a child's is made from its parent's by one
  // addition. The owner is the id of the worker that runs the task, or, before it runs, of the worker that made it. It
  // is kOwnerDetached if the body has returned and the event is not fulfilled, and kOwnerFinished at the end. The root
  // is the number of the member from whose implicit task it descends. The depth counts generations below the initial
  // task, modulo 2^32.
  static constexpr uint64_t kOwnerDetached = 0xfffe, kOwnerFinished = 0xffff, kOwnerMask = 0xffff;
  static constexpr uint64_t kOneGeneration = uint64_t{1} << 32;

  // relaxed, all: owner is compared with the reader's own id, which only the reader stores; an ancestor walk verifies
  // what it reads (constraint.cpp).
  uint64_t identity_now() const { return identity.load(std::memory_order_relaxed); }
  uint16_t owner() const { return static_cast<uint16_t>(identity_now()); }
  uint16_t root() const { return static_cast<uint16_t>(identity_now() >> 16) & 0x7fff; }
  uint32_t depth() const { return static_cast<uint32_t>(identity_now() >> 32); }
  // acquire: pairs with set_finished(): what the finisher has left in local_children and parent stays as it is.
  uint16_t owner_acquire() const { return static_cast<uint16_t>(identity.load(std::memory_order_acquire)); }
  void set_finished() {
    // release: pairs with owner_acquire().
    identity.store(identity_now() | kOwnerFinished, std::memory_order_release);
  }
  void set_owner(uint64_t owner) {
    identity.store((identity_now() & ~kOwnerMask) | owner, std::memory_order_relaxed); // relaxed: as above
  }
  /// `parent_task` runs here, so the owner is this worker, and usually remains it.
  void descend_from(const Task* parent_task) {
    // relaxed: nobody else sees the task yet.
    identity.store(parent_task->identity_now() + kOneGeneration, std::memory_order_relaxed);
  }

  // In builds with checks a bit of the identity, which no number of a member needs, says that the task is in a queue:
  // it is in one at most, and not while it runs. Called by whoever puts it there, or has taken it.
#ifdef CHOMP_CHECKS
  static constexpr uint64_t kQueued = uint64_t{1} << 31;
  bool queued() const { return (identity_now() & kQueued) != 0; }
  void enters_queue() {
    DCHECK(!queued());
    identity.store(identity_now() | kQueued, std::memory_order_relaxed); // relaxed: as above
  }
  void leaves_queue() {
    DCHECK(queued());
    identity.store(identity_now() & ~kQueued, std::memory_order_relaxed); // relaxed: as above
  }
#else
  void enters_queue() {}
  void leaves_queue() {}
#endif

  // relaxed: nothing is read through the address.
  uint64_t number_of_parent() const { return reinterpret_cast<uint64_t>(parent.load(std::memory_order_relaxed)); }

  static int64_t count_in(int64_t shared_word) { return shared_word >> 32; }
  /// A count as a summand of the shared word, where it wraps.
  static int64_t children(int64_t count) { return static_cast<int64_t>(static_cast<uint64_t>(count) << 32); }
  /// What local_children stands for, given that it wraps: children not counted in the shared word. Owner only.
  int64_t unshared_children() const {
    int64_t shared =
        count_in(shared_children.load(std::memory_order_relaxed)); // relaxed: the sum does not depend on it
    return static_cast<int64_t>(local_children + static_cast<uint32_t>(shared)) - shared;
  }

  TaskPayload* payload() { return reinterpret_cast<TaskPayload*>(this + 1); }
  static Task* of_payload(void* payload) { return static_cast<Task*>(payload) - 1; }
  // While a task runs, `next` is what lies below it on the thread's stack.
  Task* below() const { return static_cast<Task*>(next); }
  bool is(uint32_t flag) const { return (flags & flag) != 0; }
};
static_assert(sizeof(Task) == 64);

/// What the hot entry points return: the current task was not queued (TASK_CURRENT_NOT_QUEUED).
inline constexpr int32_t kCurrentNotQueued = 0;

/// Their slow halves return the same, so that jumps enter them. Link-time optimisation would make the jumps calls
/// again, so it may not see the value.
inline int32_t current_not_queued() {
  int32_t result = kCurrentNotQueued;
  asm("" : "+r"(result));
  return result;
}

/// Whether the creator of tasks with dependences or priorities, or a replay, runs short ones itself (run_or_share.h).
enum class Throttled : uint8_t {
  kNo,      // since the task waited last, there were never many of them unfinished at once
  kYes,     // there were once many
  kRunsThem // there were, and they were short when one was last deferred
};

/// What a task graph has to do with a task (task_graph.h): then its extra block is part of a GraphNode.
enum class GraphRole : uint8_t { kNone, kRecorded, kReplayed };

/// What few tasks need. Allocated on first use, freed with the task.
struct TaskExtra {
  struct DependenceNode* dependence; // of the task itself, as a sibling (task_deps.cpp)
  struct DependenceTable* table;     // of its children
  struct DetachEvent* event;         // detach(event), or somebody has a handle of it (task_detach.cpp)
  uint32_t affinity;                 // affinity(…): what AffinityMap::key_of() made of the address
  bool detachable_children : 1;      // the task has made a detachable child
  bool transparent : 1;              // its children's dependences meet those of its siblings (task_deps.h)
  bool imports : 1;                  // transparent_import() has been called
  bool transparent_children : 1;     // it has been called for a child
  bool runs_at_once : 1;             // undeferred, though the program spawns it (kHasAffinity is set too)
  bool has_begun : 1;                // untied: parts of it have run, and the next one has been in a queue
  bool target : 1;                   // target nowait, and there are helpers (target_task.h)
  Throttled throttled;
  GraphRole graph_role;
  bool graph_lent; // a replayed task that another member may run, while the others run in order (replay.cpp)
};

/// A target task that helpers may run (devices/target_task.h).
inline bool is_target(const Task* task) { return task->is(kPool) && task->is(kHasExtra) && task->extra->target; }

inline bool runs_at_once(const Task* task) { return task->is(kHasAffinity) && task->extra->runs_at_once; }

/// What observers keep about a task (events.h): the extra block of every observed task, from its creation on.
struct ObservedTask : TaskExtra {
  uint64_t id;           // of this task alone, in this process; 0: not yet created
  uint64_t parent;       // id of the task that created it; 0: none is known
  ToolTask tool;         // an OMPT tool's
  uint64_t chunk_first;  // of a taskloop's task: its first iteration
  uint64_t chunk_size;   // and how many iterations it has; 0: the task is of no taskloop
  const void* site;      // of a taskloop's pattern: where the program has called from
  uint16_t domain;       // where it was created, as topology.h counts
  bool runs_at_creation; // its creator runs it at once
  bool undeferred;       // the program, or a final task around it, says so
  bool mergeable;        // as the program says
  bool stays_detached;   // its body has returned, or is about to, and its event has not come
};

/// The task's extra block, made if it has none. Called by the creator before the task is visible, or by its runner.
TaskExtra* task_extra(Task* task);

/// Frees the extra block, if the task has one. A block that is part of a dependence node must be taken off the task
/// before.
void task_extra_free(Worker* worker, Task* task);

} // namespace chomp
